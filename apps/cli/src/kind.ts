import type { ApiClient, Json } from './api-client';
import type { Members } from './members';

/** What a file says of one thing. */
export type Item = Json;

/** A thing that is there, with how a file would say it. */
export interface Standing {
  readonly item: Item;
  /** Where it is changed and deleted. */
  readonly path: string;
}

/** Workspaces by what files and the server call them. The default one is the default on both sides, whatever its slug. */
export class Workspaces {
  private readonly idBySlug = new Map<string, string>();
  private readonly slugById = new Map<string, string>();
  private default: string | undefined;

  /** The first slug of an id is the one that an export uses. */
  add(slug: string, id: string): void {
    this.idBySlug.set(slug, id);
    if (!this.slugById.has(id)) this.slugById.set(id, slug);
  }

  /** Files call it so from now on. */
  rename(slug: string, id: string): void {
    this.idBySlug.set(slug, id);
    this.slugById.set(id, slug);
  }

  setDefault(id: string): void {
    this.default = id;
  }

  get defaultId(): string {
    if (this.default === undefined) throw new Error('The organisation has no default workspace.');
    return this.default;
  }

  idOf(slug: unknown): string {
    const id = this.idBySlug.get(String(slug));
    if (id === undefined) throw new Error(`There is no workspace ${String(slug)}.`);
    return id;
  }

  slugOf(id: string): string {
    return this.slugById.get(id) ?? id;
  }

  get all(): readonly (readonly [slug: string, id: string])[] {
    return [...this.slugById].map(([id, slug]) => [slug, id]);
  }
}

export interface World {
  readonly api: ApiClient;
  readonly workspaces: Workspaces;
  /** Rows of the collections of workspaces that were requested, by id of the workspace and of the collection. */
  readonly collections: Map<string, ReadonlyMap<string, Json>>;
  /** Names of what a dry run would have made; empty where it is made. */
  readonly planned: ReadonlySet<string>;
}

/** On a dry run: in the place of the ids of what is not made yet. No id and no name holds it. */
export const NOT_MADE = 'not:made';

/** One kind of thing of the control plane: how it is read into a file, and how a file makes it so. */
export interface Kind {
  /** As the file calls its list. */
  readonly name: string;
  /** The members that tell one from another. */
  readonly identity: readonly string[];
  /** Every member that an item may have. */
  readonly members: Members;
  /** Members that a change may not touch. */
  readonly fixed?: readonly string[];
  standing(world: World): Promise<Standing[]>;
  /** Absent: it is there with what it belongs to, and only ever changed. Gives what is shown once, such as a secret. */
  create?(world: World, item: Item): Promise<Json>;
  /** `item` holds every member that the thing shall have; what it leaves out, and `before` has, is cleared. */
  update(world: World, path: string, item: Item, before: Item): Promise<Json>;
  readonly removable: boolean;
  /** Deletes it with `--force`, also while it is in use. Absent: what is in use has to be taken out of its uses first. */
  readonly removeUsed?: (world: World, path: string) => Promise<Json>;
  /** The item with the parts that stay, since nothing is removed without `--prune`. Absent: an item says all of its thing. */
  unpruned?(item: Item, before: Item): Item;
}

export const put = (world: World, path: string, body: unknown): Promise<Json> =>
  world.api.call('PUT', path, body);
export const post = (world: World, path: string, body: unknown): Promise<Json> =>
  world.api.call('POST', path, body);

export const remove = (world: World, path: string): Promise<Json> => world.api.call('DELETE', path);

/** By the parameter of the routes that refuse to delete what is in use without it. */
export const removeByForce = (world: World, path: string): Promise<Json> =>
  remove(world, `${path}${path.includes('?') ? '&' : '?'}force=true`);

/** The members of a row by their names. */
export const members = (row: Json, ...names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

/** The members of an item, null where it leaves one out. */
export const cleared = (item: Item, ...names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, item[name] ?? null]));

/** The members of an item that it has. */
export const present = (item: Item, ...names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]));
