# What `cmake --install` puts into a prefix, which may be moved afterwards:
#
#   include/                     headers
#   lib/                         libwarpnic, libwarpnic_cpu_executor
#   lib/cmake/warpnic/           find_package(warpnic): warpnic::warpnic, warpnic::cpu_executor,
#                                warpnic_add_cuda_objects()
#   lib/pkgconfig/               doca-common, doca-eth, doca-gpunetio, warpnic-cpu-executor
#   bin/                         warpnic, warpnic-simtcc (with share/warpnic/simt_ir.py)
#   share/doc/warpnic/           LICENSE

include(CMakePackageConfigHelpers)

if(NOT BUILD_SHARED_LIBS)
  # An archive would have to drag in the libraries it was built from, and their packages.
  message(STATUS "No install rules: an installation needs BUILD_SHARED_LIBS=ON")
  return()
endif()

set(libraries warpnic warpnic_headers)
if(TARGET warpnic_cpu_executor)
  list(APPEND libraries warpnic_cpu_executor)
endif()
foreach(library IN LISTS libraries)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    set_target_properties(${library} PROPERTIES INSTALL_RPATH "$ORIGIN"
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  endif()
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpnic)
install(TARGETS ${libraries} EXPORT warpnic-targets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT warpnic-targets NAMESPACE warpnic:: DESTINATION ${package_folder})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(EXISTS ${PROJECT_SOURCE_DIR}/tools/CMakeLists.txt)
  get_property(tools DIRECTORY ${PROJECT_SOURCE_DIR}/tools PROPERTY BUILDSYSTEM_TARGETS)
  foreach(tool IN LISTS tools)
    get_target_property(type ${tool} TYPE)
    if(type STREQUAL "EXECUTABLE")
      install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
  endforeach()
endif()

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(PROGRAMS ${PROJECT_SOURCE_DIR}/cmake/warpnic-simtcc
  DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${PROJECT_SOURCE_DIR}/cmake/simt_ir.py ${PROJECT_SOURCE_DIR}/cmake/simt_ptx.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/warpnic)

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/warpnic-config.cmake.in ${PROJECT_BINARY_DIR}/warpnic-config.cmake
  INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpnic-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/warpnic-config.cmake ${PROJECT_BINARY_DIR}/warpnic-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/WarpnicCuda.cmake
  DESTINATION ${package_folder})

# pkg-config modules have the version of the interface, which is what programs ask for.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/doca_version.h line REGEX "define DOCA_VER_STRING ")
string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" interface_version "${line}")
if(NOT interface_version MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+$")
  message(FATAL_ERROR "include/doca_version.h: no version in DOCA_VER_STRING: '${line}'")
endif()
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pkgconfig_prefix /prefix/${pkgconfig_folder} /prefix)

# One module; REQUIRES, CFLAGS and LIBS are lines of the .pc file as they stand there.
function(warpnic_pkgconfig name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION;REQUIRES;CFLAGS;LIBS" "")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/module.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_folder})
endfunction()

set(cflags "-I\${includedir}")
set(libs "-L\${libdir} -lwarpnic")
warpnic_pkgconfig(doca-common
  DESCRIPTION "Devices, memory maps, contexts and log of warpnic, with DOCA's interface"
  CFLAGS ${cflags} LIBS ${libs})
warpnic_pkgconfig(doca-eth
  DESCRIPTION "Ethernet queues of warpnic, with DOCA's interface"
  REQUIRES doca-common CFLAGS ${cflags} LIBS ${libs})
warpnic_pkgconfig(doca-gpunetio
  DESCRIPTION "Kernels that receive Ethernet frames: warpnic, with the interface of DOCA GPUNetIO"
  REQUIRES doca-common CFLAGS ${cflags} LIBS ${libs})
if(TARGET warpnic_cpu_executor)
  # In place of CUDA's own module: kernels are compiled by ${simtcc} and run on the CPU.
  warpnic_pkgconfig(warpnic-cpu-executor
    DESCRIPTION "CUDA kernels on CPU threads; compile them with the variable simtcc"
    CFLAGS "-I\${includedir} -isystem \${includedir}/warpnic/cpu_executor"
    LIBS "-L\${libdir} -lwarpnic_cpu_executor -pthread")
endif()
