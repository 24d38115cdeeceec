import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the paths of files below `folder` that contain one of the texts as UTF-8. Files that
 * disappear meanwhile are skipped.
 */
export function filesHolding(folder: string, texts: readonly string[]): string[] {
  const wanted = texts.map((text) => Buffer.from(text));
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const content = readIfThere(path);
      return content !== null && wanted.some((text) => content.includes(text));
    });
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
