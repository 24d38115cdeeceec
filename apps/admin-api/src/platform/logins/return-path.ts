/** The root of the console. */
const ROOT = '/';

/** Printable ASCII after one slash; a second slash or a backslash would name another host. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;

/** Returns `text` if it is a path of the console; otherwise the root. */
export const returnPathOf = (text: string | undefined): string =>
  text !== undefined && OWN_PATH.test(text) ? text : ROOT;
