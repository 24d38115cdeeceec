import { ApiError, type ApiClient, type Json } from './api-client';
import { remove, Workspaces, type Item, type Kind, type ExistingItem, type ReconcileContext } from './kind';
import { KINDS } from './kinds';
import type { Places } from './file-lines';
import { Validation } from './validation';
import { comparable, unknownMembers, written } from './members';
import { canonical, hasSecrets, isFields, withClearedSecrets, withoutLiterals, withSecrets } from './values';

/** The complete state of an organisation's control plane, as in a file. */
export type State = Readonly<Record<string, readonly Item[]>>;

export interface Change {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: string;
  readonly name: string;
  /** Members that differ. */
  readonly fields: readonly string[];
  /** Descriptions of what uses an item that is deleted by force. */
  readonly uses?: readonly string[];
}

export interface ReconcileOptions {
  readonly dryRun: boolean;
  /** Deletes items that are not in the file. */
  readonly prune: boolean;
  /** Also deletes items that are in use. */
  readonly force?: boolean;
  /** Also writes the secrets of existing items, because differences cannot be seen. */
  readonly secrets: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly onChange: (change: Change, shownOnce: Json) => void;
  /**
   * For dry runs: lets the control plane check every write. Throws one error that lists all
   * problems.
   */
  readonly validates?: boolean;
  /** Called for each write that cannot be checked before others are executed. */
  readonly onUnjudged?: (line: string) => void;
  /** Locations of the items in the files. */
  readonly places?: Places;
}

/** Formats which item of which file an error concerns. */
const placeOf = ({ places }: Pick<ReconcileOptions, 'places'>, kind: Kind, item: Item): string => {
  const place = places?.get(item);
  return `${place === undefined ? '' : `${place}: `}${kind.name} ${nameOf(kind, item)}`;
};

const newContext = (api: ApiClient, validation?: Validation): ReconcileContext => ({
  api: validation?.client ?? api,
  workspaces: new Workspaces(),
  collections: new Map(),
  planned: validation?.planned ?? new Set(),
});

/**
 * Returns whether an item is the default workspace, which is the same on every server regardless of
 * its slug.
 */
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

/** Exports all items in an order in which they can be created again. */
export async function exportState(api: ApiClient): Promise<State> {
  const context = newContext(api);
  const state: Record<string, readonly Item[]> = {};
  for (const kind of KINDS) {
    const exported = (await kind.existing(context)).filter(({ isExported = true }) => isExported);
    const items = exported.map(({ item }) => comparable(kind.members, item));
    // Items that exist with another item are exported only if they differ from the defaults.
    const exportedItems = items.filter(
      (item) => kind.create !== undefined || Object.keys(item).some((name) => !kind.identity.includes(name)),
    );
    if (exportedItems.length > 0) state[kind.name] = exportedItems;
  }
  return state;
}

/**
 * Changes the control plane to match the file, kind by kind; kinds that the file omits stay
 * unchanged.
 */
export async function reconcile(api: ApiClient, state: State, options: ReconcileOptions): Promise<Change[]> {
  assertKnown(state, options);
  const validation = validationOf(api, options);
  const context = newContext(api, validation);
  const changes: Change[] = [];
  const toRemove: (() => Promise<void>)[] = [];
  const note = (change: Change, shownOnce: Json): void => {
    changes.push(change);
    options.onChange(change, shownOnce);
  };
  // Workspaces are always read, because other items are found through them.
  const kinds = KINDS.filter(({ name }) => state[name] !== undefined || name === 'workspaces');
  for (const kind of kinds) {
    const existing = await kind.existing(context);
    const wanted = state[kind.name] ?? [];
    const left = await applyKind({ kind, context, existing, wanted, options, note, validation });
    if (!isPruned(kind, state, options)) continue;
    const tools = { kind, context, options, note, validation };
    for (const one of left) toRemove.unshift(() => removeOne(tools, one));
  }
  // Items that others refer to are deleted last.
  for (const removal of toRemove) await removal();
  validation?.conclude(options.onUnjudged ?? (() => undefined));
  return changes;
}

const isPruned = ({ name, removable }: Kind, state: State, { prune }: ReconcileOptions): boolean =>
  prune && removable && state[name] !== undefined;

const validationOf = (api: ApiClient, { dryRun, validates }: ReconcileOptions): Validation | undefined =>
  dryRun && validates === true ? new Validation(api) : undefined;

async function removeOne(
  { kind, context, options, note, validation }: Tools,
  { item, path }: ExistingItem,
): Promise<void> {
  const name = nameOf(kind, item);
  const at = placeOf(options, kind, item);
  const change = { action: 'delete', kind: kind.name, name, fields: [] } as const;
  const removeUsed = options.force === true ? kind.removeUsed : undefined;
  const write = (): Promise<unknown> => (removeUsed ?? remove)(context, path);
  if (validation) {
    const isForced = removeUsed !== undefined;
    const uses = isForced ? await validation.usesOf(path, item) : [];
    await validation.checkRemoval(at, kind, { item, isForced }, write);
    validation.touch(kind, item, null);
    note({ ...change, uses }, {});
    return;
  }
  if (!options.dryRun) await named(at, write);
  note(change, {});
}

interface Task {
  readonly kind: Kind;
  readonly context: ReconcileContext;
  readonly existing: readonly ExistingItem[];
  readonly wanted: readonly Item[];
  readonly options: ReconcileOptions;
  readonly note: (change: Change, shownOnce: Json) => void;
  readonly validation: Validation | undefined;
}

/** Creates and changes items, and returns the existing items that are not in the file. */
async function applyKind({
  kind,
  context,
  existing,
  wanted,
  options,
  note,
  validation,
}: Task): Promise<ExistingItem[]> {
  const existingByName = new Map(existing.map((one) => [nameOf(kind, one.item), one]));
  const seen = new Set<string>();
  for (const raw of wanted) {
    const item = written(kind.members, raw);
    const name = nameOf(kind, item);
    if (seen.has(name)) throw new Error(`${kind.name}: ${name} is in the file twice; remove one of them.`);
    seen.add(name);
    const one = existingByName.get(name);
    existingByName.delete(name);
    if (one && isDefaultWorkspace(kind, item)) {
      context.workspaces.rename(String(item['slug']), one.path.slice(one.path.lastIndexOf('/') + 1));
    }
    const tools = { kind, context, options, note, validation };
    const write = (): Promise<void> =>
      one ? updateOne(tools, name, one, item) : createOne(tools, name, item);
    if (validation) await validation.check(placeOf(options, kind, raw), kind, item, write);
    else await named(placeOf(options, kind, raw), write);
  }
  return [...existingByName.values()];
}

type Tools = Pick<Task, 'kind' | 'context' | 'options' | 'note' | 'validation'>;

/** Adds the item to the error of a write. */
async function named(at: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const message = `${at}: ${error instanceof Error ? error.message : String(error)}`;
    throw error instanceof ApiError ? new ApiError(error.status, message) : new Error(message);
  }
}

async function createOne(tools: Tools, name: string, item: Item): Promise<void> {
  const { kind, context, options, note, validation } = tools;
  // In a dry run the owner may not exist yet.
  if (!kind.create && !options.dryRun)
    throw new Error(`${name} does not exist and cannot be created separately.`);
  const change = { action: 'create', kind: kind.name, name, fields: Object.keys(item) } as const;
  if (options.dryRun) note(change, {});
  if (validation) planCreation(validation, tools, item);
  if (!kind.create || (options.dryRun && !validation)) return;
  const shownOnce = await kind.create(context, withSecrets(item, options.environment, true) as Item);
  if (!options.dryRun) note(change, shownOnce);
}

function planCreation(validation: Validation, { kind, context }: Tools, item: Item): void {
  // An item of a planned workspace is checked in the default workspace.
  if (kind.name === 'workspaces') {
    context.workspaces.add(String(item['slug']), context.workspaces.defaultId);
    validation.planWorkspace(item, context.workspaces.defaultId);
  }
  validation.plan(item);
  validation.touch(kind, item, item);
  if (!kind.create) validation.checkOwner(kind, item);
}

async function updateOne(
  { kind, context, options, note, validation }: Tools,
  name: string,
  { item: raw, path }: ExistingItem,
  wanted: Item,
): Promise<void> {
  const before = comparable(kind.members, raw);
  const item = options.prune ? wanted : (kind.unpruned?.(wanted, before) ?? wanted);
  const fields = differences(kind, before, item);
  if (fields.length === 0 && !(options.secrets && (hasSecrets(item) || hasSecrets(before)))) return;
  const fixed = fields.filter((member) => kind.fixed?.includes(member));
  if (fixed.length > 0)
    throw new Error(`${fixed.join(', ')} cannot be changed; delete and create the item, or keep the value.`);
  if (options.dryRun) {
    note({ action: 'update', kind: kind.name, name, fields }, {});
    if (!validation) return;
    validation.touch(kind, raw, item);
  }
  const plain = withSecrets(item, options.environment, false) as Item;
  const shownOnce = await kind.update(context, path, withClearedSecrets(plain, before, item), before, item);
  if (!options.dryRun) note({ action: 'update', kind: kind.name, name, fields }, shownOnce);
}

/** Returns the names of members that differ. */
function differences(kind: Kind, before: Item, item: Item): string[] {
  const wanted = withoutLiterals(comparable(kind.members, item), before) as Item;
  const ignored = isDefaultWorkspace(kind, item) ? ['slug'] : [];
  return Object.keys(kind.members)
    .filter((member) => !ignored.includes(member))
    .filter((member) => kind.members[member]?.isChosen !== true || wanted[member] !== undefined)
    .filter((member) => canonical(before[member]) !== canonical(wanted[member]));
}

/** Checks the whole file before anything is read or written. */
function assertKnown(state: State, options: ReconcileOptions): void {
  const kinds = new Map(KINDS.map((kind) => [kind.name, kind]));
  for (const [name, items] of Object.entries(state)) {
    const kind = kinds.get(name);
    if (!kind) throw new Error(`The file has an unknown list ${name}.`);
    if (!Array.isArray(items) || items.some((item) => !isFields(item))) {
      throw new Error(`The file's ${name} must be a list of objects.`);
    }
    for (const item of items as Item[]) assertMembers(kind, item, placeOf(options, kind, item));
  }
}

function assertMembers(kind: Kind, item: Item, at: string): void {
  const [unknown] = unknownMembers(kind.members, item);
  if (!unknown) return;
  const { path, meant } = unknown;
  const hint =
    meant === undefined ? `it may have ${Object.keys(kind.members).join(', ')}.` : `did you mean ${meant}?`;
  throw new Error(`${at}: there is no member ${path}; ${hint}`);
}
