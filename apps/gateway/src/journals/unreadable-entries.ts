import { accessSync, constants, existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SUFFIX = '.unreadable';
/** Names that a journal, and what lies next to it, read. The lock is not among them. */
const OURS =
  /^(?:(?:segment|in-flight)-\d{6,12}\.log|spare\.log|(?:state|cursor|holders)\.json|under-way\.jsonl)$/;

/** An entry of a journal's folder that an earlier start has set aside. */
export const isSetAside = (name: string): boolean => name.endsWith(SUFFIX);

/**
 * Renames what is no file, or may not be read and written, so that a journal opens without it: one such entry must not keep a gateway from
 * starting. Gives the names of all that are set aside in the folder. Throws when an entry cannot be renamed: nothing could be
 * written there either. The folder must be locked by this process.
 */
export function setUnreadableAside(directory: string): readonly string[] {
  for (const name of readdirSync(directory)) {
    if (!OURS.test(name) || isReadable(join(directory, name))) continue;
    renameSync(join(directory, name), freePath(join(directory, name)));
  }
  return readdirSync(directory).filter(isSetAside).sort();
}

/** False for folders, pipes, devices, links that lead nowhere, and files that this process may not read or write. */
function isReadable(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function freePath(path: string): string {
  for (let number = 1; ; number += 1) {
    const free = `${path}${number === 1 ? '' : `.${String(number)}`}${SUFFIX}`;
    if (!existsSync(free)) return free;
  }
}
