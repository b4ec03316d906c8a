# (written next)
function(add_day)
endfunction()
