const BACKSLASH = 0x5c;
const QUOTE = 0x22;

/**
 * Returns the index after the last character of a JSON string value that begins at `start`: the
 * index of the backslashes and the quotation mark that end it, or the length of a text that is cut
 * off before them. `backslashes`: how many precede its quotation marks: 0, or 1, 3, 7, … in JSON
 * within strings of JSON.
 */
export function valueEnd(text: string, start: number, backslashes: number): number {
  let run = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE && endsString(run, backslashes)) return at - Math.min(run, backslashes);
    run = code === BACKSLASH ? run + 1 : 0;
  }
  return text.length;
}

/**
 * Returns whether a quotation mark after `run` backslashes ends the string or one around it. Each
 * level of JSON reads two backslashes as one, and keeps the string open after an odd number.
 */
function endsString(run: number, backslashes: number): boolean {
  let left = run;
  for (let levels = backslashes; levels > 0; levels >>= 1) {
    if (left % 2 === 0) return true;
    left = (left - 1) / 2;
  }
  return left % 2 === 0;
}
