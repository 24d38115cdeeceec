import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';

/** Maximum number of source maps in memory. */
const MAPS_MAX = 50;

/**
 * Makes stack traces name source lines for the compiled files in `folder`. The source map of a file
 * is read when a stack trace with the file is first formatted. `--enable-source-maps` instead reads
 * the maps of all modules while they load, which takes a quarter of the loading time.
 */
export function mapStackTraces(folder: string): void {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (file: string): SourceMap | null => {
    const cached = maps.get(file);
    if (cached !== undefined) return cached;
    const map = readMap(file);
    if (maps.size >= MAPS_MAX) maps.clear();
    maps.set(file, map);
    return map;
  };
  Error.prepareStackTrace = (error, sites) =>
    [headerOf(error), ...sites.map((site) => `    at ${described(site, folder, mapOf)}`)].join('\n');
}

function described(site: NodeJS.CallSite, folder: string, mapOf: (file: string) => SourceMap | null): string {
  // `toString` of a call site returns a line of a trace, which its type does not declare.
  const text = (site as { toString(): string }).toString();
  const [file, line, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()];
  if (!file?.startsWith(folder) || line === null || column === null) return text;
  const origin = mapOf(file)?.findOrigin(line, column);
  if (origin === undefined || !('fileName' in origin)) return text;
  const source = resolve(dirname(file), origin.fileName);
  return text.replace(
    `${file}:${String(line)}:${String(column)}`,
    () => `${source}:${String(origin.lineNumber)}:${String(origin.columnNumber)}`,
  );
}

/** Reads the source map of a file; null if it is missing or unreadable. */
function readMap(file: string): SourceMap | null {
  const path = `${file}.map`;
  if (!existsSync(path)) return null;
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload);
  } catch {
    return null;
  }
}

/** Returns name and message like V8. An error may have members that throw. */
function headerOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>';
  }
}
