# The device API by nvcc: all scopes for all GPUs without a warning, and what must be refused.
if(NOT WARPNIC_SANITIZE)  # would be the same compilations again
  add_test(NAME api.nvcc COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/nvcc_test.sh ${PROJECT_SOURCE_DIR})
  set_tests_properties(api.nvcc PROPERTIES LABELS api SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()
