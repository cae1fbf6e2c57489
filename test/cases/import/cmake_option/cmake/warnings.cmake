function(more_warnings target)
  target_compile_options(${target} PRIVATE -Wno-sign-compare)
endfunction()
