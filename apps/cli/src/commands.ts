import { readFile, writeFile } from 'node:fs/promises';
import { dump } from 'js-yaml';
import { dirname } from 'node:path';
import type { ApiClient, Json } from './api-client';
import { inlineDocuments, readDocuments, writeDocuments } from './document-files';
import { loadWithPlaces, type Places } from './file-lines';
import { LogTail } from './log-tail';
import { exportState, reconcile, type Change, type State } from './reconcile';
import { inFile } from './values';

export interface Output {
  out(text: string): void;
  err(text: string): void;
  /** Reads standard input as text. */
  input(): Promise<string>;
}

export interface Call {
  readonly api: ApiClient;
  readonly output: Output;
  readonly environment: NodeJS.ProcessEnv;
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

const FILE_VERSION = 1;
const SIGNS = { create: '+', update: '~', delete: '-' } as const;

const text = (value: Call['options'][string]): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Writes the state of the control plane as YAML to a file or to standard output. */
export async function exportCommand({ api, options, output }: Call): Promise<number> {
  const file = text(options['output']);
  const isInline = file === undefined || options['inline'] === true;
  const exported = await exportState(api);
  const state = await (isInline ? inlineDocuments(exported) : writeDocuments(exported, file));
  const yaml = dump(inFile({ version: FILE_VERSION, ...state }), { lineWidth: 120 });
  if (file === undefined) output.out(yaml);
  else await writeFile(file, yaml, { mode: 0o600 });
  return 0;
}

/** Reads all files as one: lists of the same kind are joined in the order of the files. */
async function readState({ options, output }: Call, places: Places): Promise<State> {
  const files = Array.isArray(options['file']) ? (options['file'] as readonly string[]) : [];
  if (files.length === 0) throw new Error('No file is given: name one with -f, or use - for standard input.');
  const joined: Record<string, State[string]> = {};
  for (const file of files) {
    for (const [kind, items] of Object.entries(await readFileState(file, output, places))) {
      const before = joined[kind];
      joined[kind] = before && Array.isArray(items) ? [...before, ...(items as State[string])] : items;
    }
  }
  return joined;
}

async function readFileState(file: string, output: Output, places: Places): Promise<State> {
  const source = file === '-' ? await output.input() : await readFile(file, 'utf8');
  const content = loadWithPlaces(source, file, places);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new Error(`${file}: the file must be a YAML object.`);
  }
  const { version, ...state } = content as Json;
  if (version !== FILE_VERSION)
    throw new Error(`${file}: the file must contain version: ${String(FILE_VERSION)}.`);
  return readDocuments(state as State, file === '-' ? '.' : dirname(file), places);
}

const lineOf = ({ action, kind, name, fields, uses = [] }: Change): string => {
  const reported = action === 'update' && fields.length > 0 ? ` (${fields.join(', ')})` : '';
  const inUse = uses.map((use) => `  in use: ${use}\n`).join('');
  return `${SIGNS[action]} ${kind} ${name}${reported}\n${inUse}`;
};

/** The uses of items deleted by force, as the check of this run found them. */
type Uses = ReadonlyMap<string, readonly string[]>;

const keyOf = ({ action, kind, name }: Change): string => `${action} ${kind} ${name}`;

const usesIn = (changes: readonly Change[]): Uses =>
  new Map(changes.map((change) => [keyOf(change), change.uses ?? []]));

/**
 * The mode of a run: `show` lists differences, `validate` also checks them; otherwise they are
 * written.
 */
type Mode = 'show' | 'validate' | 'write';

async function run(
  call: Call,
  state: State,
  places: Places,
  mode: Mode,
  uses: Uses = new Map(),
): Promise<readonly Change[]> {
  const { api, output, options, environment } = call;
  return reconcile(api, state, {
    dryRun: mode !== 'write',
    validates: mode === 'validate',
    places,
    prune: options['prune'] === true,
    force: options['force'] === true,
    secrets: options['secrets'] === true,
    environment,
    onUnjudged: (line) => {
      if (isPlan(call)) output.out(`? ${line}\n`);
    },
    onChange: (change, shownOnce) => {
      // Changes are checked and printed once before they are written.
      if (mode === 'validate' && !isPlan(call)) return;
      output.out(lineOf({ uses: uses.get(keyOf(change)) ?? [], ...change }));
      for (const secret of ['key', 'client_auth', 'client_secret', 'invite_link', 'secret']) {
        if (typeof shownOnce[secret] === 'string') output.out(`  ${secret}: ${shownOnce[secret]}\n`);
      }
    },
  });
}

const isPlan = ({ options }: Call): boolean => options['dry-run'] === true;

/** Lets the control plane check all changes before any is written. */
export async function applyCommand(call: Call): Promise<number> {
  const places: Places = new WeakMap();
  const state = await readState(call, places);
  const changes = await run(call, state, places, 'validate');
  if (changes.length === 0) call.output.out('Nothing to change.\n');
  else if (!isPlan(call)) await run(call, state, places, 'write', usesIn(changes));
  return 0;
}

export const planCommand = (call: Call): Promise<number> =>
  applyCommand({ ...call, options: { ...call.options, 'dry-run': true } });

/** Lists differences; exit code 1 if there are any. */
export async function diffCommand(call: Call): Promise<number> {
  const places: Places = new WeakMap();
  const changes = await run(call, await readState(call, places), places, 'show');
  if (changes.length === 0) call.output.out('No difference.\n');
  return changes.length === 0 ? 0 : 1;
}

/** Creates a service key and prints only its secret. */
export async function createKeyCommand({ api, options, output }: Call): Promise<number> {
  const name = text(options['name']);
  const scopes = text(options['scopes']);
  if (name === undefined || scopes === undefined)
    throw new Error('keys create needs --name and --scopes; add both.');
  const workspace = text(options['workspace']);
  const expires = text(options['expires']);
  const created = await api.call<{ key: string }>(
    'POST',
    `/v1/api-keys/${workspace === undefined ? 'organisation' : 'workspace'}/service`,
    {
      name,
      scopes: scopes.split(',').map((scope) => scope.trim()),
      ...(workspace === undefined ? {} : { workspace_id: workspace }),
      ...(expires === undefined ? {} : { expires_at: expires }),
    },
  );
  output.out(`${created.key}\n`);
  return 0;
}

/**
 * Prints log records as JSON lines, oldest first, until it is aborted; with `--once` it prints the
 * newest page and ends.
 */
export async function tailLogsCommand({ api, options, output, signal }: Call): Promise<number> {
  const workspace = text(options['workspace']);
  const tail = new LogTail(api, workspace === undefined ? {} : { workspace_id: workspace }, output);
  if (options['once'] === true) await tail.page();
  else await tail.follow(signal);
  return 0;
}
