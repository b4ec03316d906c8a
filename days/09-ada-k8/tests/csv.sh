#!/bin/sh
# csv.sh CASE DAY09: what becomes of --csv's file when a run is refused, or ended half way.
day09=$2
case $1 in
  typo) # refused before any work: one line of output, the device's
    error=$("$day09" --sweep --csv none/s.csv 2>&1 >day09_typo.out)
    code=$?
    echo "$(wc -l <day09_typo.out) line, $error, code $code"
    ;;
  kept) # a refused run leaves the file of the run before
    echo kept >day09_kept.csv
    "$day09" --tile 3 --m 127 --csv day09_kept.csv
    cat day09_kept.csv
    ;;
  resumed) # stopped in the middle of a row, gone on with, and then there is nothing left to do
    sweep="--m 256 --n 128 --k 32 --sweep --groups 3 --csv day09_resumed.csv"
    "$day09" $sweep >day09_resumed.out
    head -c 6000 day09_resumed.csv >day09_cut.csv
    mv day09_cut.csv day09_resumed.csv
    "$day09" $sweep --resume >day09_resumed.out
    lines=$(wc -l <day09_resumed.csv)
    different=$(tail -n +2 day09_resumed.csv | cut -d, -f1-10 | sort -u | wc -l)
    echo "$lines lines, $different different, then:$("$day09" $sweep --resume | grep -o " not run: .*")"
    ;;
  other_columns) # somebody else's table is not added to
    echo "a,b" >other.csv
    error=$("$day09" --sweep --resume --csv other.csv 2>&1 >day09_other.out)
    echo "$error, code $?"
    ;;
  as_it_runs) # the reader of a pipe has the first row while the sweep runs, and ends it there
    rm -f day09.pipe
    mkfifo day09.pipe
    "$day09" --m 512 --n 256 --k 256 --sweep --csv day09.pipe &
    exec 3<day09.pipe
    read -r header <&3
    read -r row <&3
    kill -TERM $!
    wait $!
    echo "ended $? after $row"
    ;;
esac
