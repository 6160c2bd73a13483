# warpnic_add_cuda_objects(<target> SOURCES a.cu b.cu ... [DEFINITIONS X=1 ...] [OPTIONS -w ...])
#
# Compiles CUDA sources and makes them part of <target>, whichever processor kernels run on:
#
#   WARPNIC_GPU = "cuda"   the files become ordinary CUDA sources of the target (nvcc)
#   otherwise              warpnic-simtcc compiles each of them for the CPU executor, and the target
#                          links warpnic::cpu_executor
#
# The target's include directories, definitions and options, its C++ standard (CXX_STANDARD 20 or
# cxx_std_20, else C++17), the build type's flags and WARPNIC_SANITIZE ("", "address", "thread")
# apply. Target options are taken in their CXX form; set those before or after the call.
# DEFINITIONS and OPTIONS apply to these files only. Headers are tracked (Ninja and Make).
#
#   add_executable(demo main.cc)
#   warpnic_add_cuda_objects(demo SOURCES kernels.cu)

include_guard()

# The source tree keeps the compiler beside this file, an installation in bin.
find_program(WARPNIC_SIMTCC warpnic-simtcc
  HINTS ${CMAKE_CURRENT_LIST_DIR} ${WARPNIC_BINDIR} NO_DEFAULT_PATH
  DOC "CUDA compiler for the CPU executor" NO_CACHE)

function(warpnic_add_cuda_objects target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEFINITIONS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR
      "warpnic_add_cuda_objects(${target}): SOURCES missing or unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()

  if(WARPNIC_GPU STREQUAL "cuda")
    target_sources(${target} PRIVATE ${arg_SOURCES})
    set_source_files_properties(${arg_SOURCES} PROPERTIES
      LANGUAGE CUDA
      COMPILE_DEFINITIONS "${arg_DEFINITIONS}"
      COMPILE_OPTIONS "${arg_OPTIONS}")
    return()
  endif()

  if(NOT WARPNIC_SIMTCC)
    message(FATAL_ERROR "warpnic_add_cuda_objects: warpnic-simtcc was not found")
  endif()

  set(standard "$<TARGET_PROPERTY:${target},CXX_STANDARD>")
  set(features "$<TARGET_PROPERTY:${target},COMPILE_FEATURES>")
  set(is_20 "$<OR:$<STREQUAL:${standard},20>,$<IN_LIST:cxx_std_20,${features}>>")
  set(directories "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>;${arg_DEFINITIONS}")
  set(definitions "$<FILTER:${definitions},EXCLUDE,^$>")
  set(options "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>")
  # Global flags of the build type and of the directory, as a C++ file of the target would get them.
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
  set(sanitizer "")
  if(WARPNIC_SANITIZE STREQUAL "address")
    set(sanitizer -fsanitize=address,undefined -fno-omit-frame-pointer)
  elseif(WARPNIC_SANITIZE STREQUAL "thread")
    set(sanitizer -fsanitize=thread)
  endif()

  get_filename_component(folder ${WARPNIC_SIMTCC} DIRECTORY)
  set(tools ${WARPNIC_SIMTCC})
  foreach(part simt_ir.py simt_ptx.py)
    if(EXISTS ${folder}/${part})
      list(APPEND tools ${folder}/${part})
    endif()
  endforeach()

  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      OUTPUT_VARIABLE name)
    string(REPLACE ".." "__" name "${name}")
    set(object ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.simt/${name}.o)
    cmake_path(GET object PARENT_PATH object_folder)
    file(MAKE_DIRECTORY ${object_folder})
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${WARPNIC_SIMTCC} -c ${source} -o ${object} -MD -MF ${object}.d -MT ${object}
        ${flags} -std=c++$<IF:${is_20},20,17>
        "$<$<BOOL:${directories}>:-I$<JOIN:${directories},;-I>>"
        "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
        "${options}" ${sanitizer} ${arg_OPTIONS}
      DEPENDS ${source} ${tools}
      DEPFILE ${object}.d
      COMMENT "Building CUDA object ${name}.o for the CPU executor"
      COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_sources(${target} PRIVATE ${object})
  endforeach()

  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${target} PRIVATE warpnic::cpu_executor)
endfunction()
