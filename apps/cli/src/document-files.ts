import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Json } from './api-client';
import type { Places } from './file-lines';
import { jsonOf } from './kinds/openapi-document';
import type { State } from './reconcile';
import { isFields } from './values';

/** The list whose items may have a document in a separate file. */
const KIND = 'mcp_integrations';
/** Maximum size of a document in bytes, as in the control plane. */
const BYTES_MAX = 5_242_880;
/**
 * Slugs that become file names of an export; items with other slugs keep their document in the
 * state file.
 */
const FILE_NAME = /^[A-Za-z0-9_-]{1,200}$/;

/**
 * Reads the documents that the items of a file name by `openapi.spec_file`, relative to the folder
 * of the file. Throws for a name that is not a file, and for more than 5 MiB.
 */
export async function readDocuments(state: State, folder: string, places: Places): Promise<State> {
  const items: unknown = state[KIND];
  if (!Array.isArray(items)) return state;
  const read = [];
  for (const item of items as unknown[]) read.push(await withDocument(item, folder, places));
  return { ...state, [KIND]: read as Json[] };
}

async function withDocument(item: unknown, folder: string, places: Places): Promise<unknown> {
  if (!isFields(item) || !isFields(item['openapi'])) return item;
  const { spec_file: file, ...openapi } = item['openapi'];
  if (file === undefined) return item;
  const place = places.get(item);
  const at = `${place === undefined ? '' : `${place}: `}${KIND} ${String(item['slug'])}: openapi.spec_file`;
  if (openapi['spec'] !== undefined || openapi['spec_url'] !== undefined)
    throw new Error(`${at} cannot be used together with spec or spec_url; keep one of them.`);
  if (typeof file !== 'string' || file === '') throw new Error(`${at} must be the name of a file.`);
  const known = { ...item, openapi: { ...openapi, spec: await textOf(resolve(folder, file), at) } };
  if (place !== undefined) places.set(known, place);
  return known;
}

async function textOf(path: string, at: string): Promise<string> {
  // Non-blocking, so that a pipe without a writer does not block the command line.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw new Error(`${at}: ${path} cannot be opened (${codeOf(error)}); check the name.`);
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error(`${at}: ${path} is no regular file.`);
    if (stat.size > BYTES_MAX)
      throw new Error(`${at}: ${path} has more than ${String(BYTES_MAX)} bytes; leave unused parts out.`);
    const bytes = await file.readFile();
    if (!isUtf8(bytes)) throw new Error(`${at}: ${path} is not in UTF-8; convert it.`);
    return bytes.toString('utf8');
  } finally {
    await file.close();
  }
}

const codeOf = (error: unknown): string =>
  String((error as NodeJS.ErrnoException | undefined)?.code ?? 'error');

/**
 * Writes each document to a separate file in a folder next to the export: `tollgate.yaml` and
 * `tollgate.openapi/pets.json`. Returns the state with the names of those files.
 */
export async function writeDocuments(state: State, exported: string): Promise<State> {
  const folder = `${basename(exported, extname(exported))}.openapi`;
  const taken = new Set<string>();
  return mapDocuments(state, async (slug, { spec, ...openapi }) => {
    const text = readable(spec);
    const name = slug.toLowerCase();
    // Some file systems do not distinguish upper and lower case.
    if (!FILE_NAME.test(slug) || taken.has(name)) return { ...openapi, spec: text };
    taken.add(name);
    const file = `${slug}.${jsonOf(text) === undefined ? 'yaml' : 'json'}`;
    await mkdir(join(dirname(exported), folder), { recursive: true });
    await writeFile(join(dirname(exported), folder, file), text, { mode: 0o600 });
    return { ...openapi, spec_file: `${folder}/${file}` };
  });
}

/** Returns the state with its documents as readable texts. */
export const inlineDocuments = (state: State): Promise<State> =>
  mapDocuments(state, (_slug, openapi) => Promise.resolve({ ...openapi, spec: readable(openapi['spec']) }));

async function mapDocuments(
  state: State,
  change: (slug: string, openapi: Json) => Promise<Json>,
): Promise<State> {
  const items = state[KIND];
  if (items === undefined) return state;
  const changed: Json[] = [];
  for (const item of items) {
    const { openapi } = item;
    const hasText = isFields(openapi) && typeof openapi['spec'] === 'string';
    changed.push(hasText ? { ...item, openapi: await change(String(item['slug']), openapi) } : item);
  }
  return { ...state, [KIND]: changed };
}

/**
 * Returns JSON with line breaks, unless that would exceed the maximum size; other texts unchanged.
 */
function readable(spec: unknown): string {
  const text = String(spec);
  const value = jsonOf(text);
  if (value === undefined) return text;
  const lines = `${JSON.stringify(value, null, 2)}\n`;
  return Buffer.byteLength(lines) > BYTES_MAX ? text : lines;
}
