# Files as texts of a library, in a header that it includes:
#   kbsim_embed(page_texts.hpp kbsim::trace kTimelinePage src/page/timeline.html kTimelineScript src/page/timeline.js)
function(kbsim_embed header namespace)
  set(constants "")
  while(ARGN)
    list(POP_FRONT ARGN name file)
    set(path ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    string(APPEND constants "inline constexpr std::string_view ${name} = R\"embedded(${text})embedded\";\n")
  endwhile()
  file(CONFIGURE OUTPUT ${header} @ONLY CONTENT
"#pragma once

#include <string_view>

namespace @namespace@ {

@constants@
}  // namespace @namespace@
")
endfunction()
