# Files as texts of a library, in a header that it includes. A text is an array of pieces, since compilers limit
# the length of a literal; only ASCII files may have several.
#   kbsim_embed(web_texts.hpp kbsim::web kReportPage src/report.html kReportProgram bundle/report.js)
function(kbsim_embed header namespace)
  set(piece_length 60000)
  set(constants "")
  while(ARGN)
    list(POP_FRONT ARGN name file)
    set(path ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    string(APPEND constants "inline constexpr std::string_view ${name}[] = {\n")
    string(LENGTH "${text}" length)
    foreach(at RANGE 0 ${length} ${piece_length})
      string(SUBSTRING "${text}" ${at} ${piece_length} piece)
      string(APPEND constants "R\"embedded(${piece})embedded\",\n")
    endforeach()
    string(APPEND constants "};\n")
  endwhile()
  file(CONFIGURE OUTPUT ${header} @ONLY CONTENT
"#pragma once

#include <string_view>

namespace @namespace@ {

@constants@
}  // namespace @namespace@
")
endfunction()
