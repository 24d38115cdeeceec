import type { ApiClient, Json } from './api-client';
import { Workspaces, type Item, type Kind, type Standing, type World } from './kind';
import { KINDS } from './kinds';
import { comparable, unknownMembers, written } from './members';
import { canonical, hasSecrets, isFields, withClearedSecrets, withoutLiterals, withSecrets } from './values';

/** The whole state of an organisation's control plane, as a file has it. */
export type State = Readonly<Record<string, readonly Item[]>>;

export interface Change {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: string;
  readonly name: string;
  /** Members that differ. */
  readonly fields: readonly string[];
}

export interface ReconcileOptions {
  readonly dryRun: boolean;
  /** Deletes what is there and not in the file. */
  readonly prune: boolean;
  /** Writes the secrets of what is there already, too: whether they differ cannot be seen. */
  readonly secrets: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly onChange: (change: Change, shownOnce: Json) => void;
}

const newWorld = (api: ApiClient): World => ({ api, workspaces: new Workspaces(), collections: new Map() });

/** The default workspace is the same on every side, whatever its slug. */
const isDefaultWorkspace = (kind: Kind, item: Item): boolean =>
  kind.name === 'workspaces' && item['is_default'] === true;

const nameOf = (kind: Kind, item: Item): string =>
  isDefaultWorkspace(kind, item)
    ? '(default)'
    : kind.identity
        .map((member) => item[member] ?? '')
        .map(String)
        .filter((text) => text !== '')
        .join('/');

/** What is there, in the order in which it can be made anew. */
export async function exportState(api: ApiClient): Promise<State> {
  const world = newWorld(api);
  const state: Record<string, readonly Item[]> = {};
  for (const kind of KINDS) {
    const items = (await kind.standing(world)).map(({ item }) => comparable(kind.members, item));
    // What comes with something else is worth a line only where it says more than its name.
    const telling = items.filter(
      (item) => kind.create !== undefined || Object.keys(item).some((name) => !kind.identity.includes(name)),
    );
    if (telling.length > 0) state[kind.name] = telling;
  }
  return state;
}

/** Makes it so that the control plane is as the file says, kind by kind; kinds that the file leaves out stay as they are. */
export async function reconcile(api: ApiClient, state: State, options: ReconcileOptions): Promise<Change[]> {
  assertKnown(state);
  const world = newWorld(api);
  const changes: Change[] = [];
  const toRemove: (() => Promise<void>)[] = [];
  const note = (change: Change, shownOnce: Json): void => {
    changes.push(change);
    options.onChange(change, shownOnce);
  };
  for (const kind of KINDS) {
    // Workspaces are always read: what belongs to one is found through them.
    if (state[kind.name] === undefined && kind.name !== 'workspaces') continue;
    const standing = await kind.standing(world);
    const wanted = state[kind.name] ?? [];
    const left = await makeSo({ kind, world, standing, wanted, options, note });
    if (!options.prune || !kind.removable || state[kind.name] === undefined) continue;
    for (const { item, path } of left) {
      toRemove.unshift(async () => {
        if (!options.dryRun) await api.call('DELETE', path);
        note({ action: 'delete', kind: kind.name, name: nameOf(kind, item), fields: [] }, {});
      });
    }
  }
  // What others refer to goes last.
  for (const remove of toRemove) await remove();
  return changes;
}

interface Task {
  readonly kind: Kind;
  readonly world: World;
  readonly standing: readonly Standing[];
  readonly wanted: readonly Item[];
  readonly options: ReconcileOptions;
  readonly note: (change: Change, shownOnce: Json) => void;
}

/** Gives what is there and not wanted. */
async function makeSo({ kind, world, standing, wanted, options, note }: Task): Promise<Standing[]> {
  const there = new Map(standing.map((one) => [nameOf(kind, one.item), one]));
  const seen = new Set<string>();
  for (const raw of wanted) {
    const item = written(kind.members, raw);
    const name = nameOf(kind, item);
    if (seen.has(name)) throw new Error(`${kind.name}: ${name} is in the file twice.`);
    seen.add(name);
    const one = there.get(name);
    there.delete(name);
    if (one && isDefaultWorkspace(kind, item)) {
      world.workspaces.rename(String(item['slug']), one.path.slice(one.path.lastIndexOf('/') + 1));
    }
    if (one) await bringInLine({ kind, world, options, note }, name, one, item);
    else await createOne({ kind, world, options, note }, name, item);
  }
  return [...there.values()];
}

type Tools = Pick<Task, 'kind' | 'world' | 'options' | 'note'>;

async function createOne({ kind, world, options, note }: Tools, name: string, item: Item): Promise<void> {
  // On a dry run what it belongs to may not be there yet.
  if (!kind.create && !options.dryRun) throw new Error(`${kind.name}: there is no ${name}.`);
  const shownOnce =
    options.dryRun || !kind.create
      ? {}
      : await kind.create(world, withSecrets(item, options.environment, true) as Item);
  note({ action: 'create', kind: kind.name, name, fields: Object.keys(item) }, shownOnce);
}

async function bringInLine(
  { kind, world, options, note }: Tools,
  name: string,
  { item: raw, path }: Standing,
  wanted: Item,
): Promise<void> {
  const before = comparable(kind.members, raw);
  const item = options.prune ? wanted : (kind.unpruned?.(wanted, before) ?? wanted);
  const fields = differences(kind, before, item);
  if (fields.length === 0 && !(options.secrets && (hasSecrets(item) || hasSecrets(before)))) return;
  const fixed = fields.filter((member) => kind.fixed?.includes(member));
  if (fixed.length > 0) throw new Error(`${kind.name}: ${fixed.join(', ')} of ${name} cannot be changed.`);
  if (options.dryRun) {
    note({ action: 'update', kind: kind.name, name, fields }, {});
    return;
  }
  const plain = withSecrets(item, options.environment, false) as Item;
  const shownOnce = await kind.update(world, path, withClearedSecrets(plain, before, item), before);
  note({ action: 'update', kind: kind.name, name, fields }, shownOnce);
}

/** Names of the members that differ. */
function differences(kind: Kind, before: Item, item: Item): string[] {
  const wanted = withoutLiterals(comparable(kind.members, item), before) as Item;
  const ignored = isDefaultWorkspace(kind, item) ? ['slug'] : [];
  return Object.keys(kind.members)
    .filter((member) => !ignored.includes(member))
    .filter((member) => canonical(before[member]) !== canonical(wanted[member]));
}

/** Checks the whole file before anything is read or written. */
function assertKnown(state: State): void {
  const kinds = new Map(KINDS.map((kind) => [kind.name, kind]));
  for (const [name, items] of Object.entries(state)) {
    const kind = kinds.get(name);
    if (!kind) throw new Error(`The file has ${name}, which is no kind of thing here.`);
    if (!Array.isArray(items) || items.some((item) => !isFields(item))) {
      throw new Error(`The file's ${name} must be a list of objects.`);
    }
    for (const item of items as Item[]) assertMembers(kind, item);
  }
}

function assertMembers(kind: Kind, item: Item): void {
  const [unknown] = unknownMembers(kind.members, item);
  if (!unknown) return;
  const { path, meant } = unknown;
  const hint =
    meant === undefined ? `it may have ${Object.keys(kind.members).join(', ')}.` : `did you mean ${meant}?`;
  throw new Error(`${kind.name} ${nameOf(kind, item)}: there is no member ${path}; ${hint}`);
}
