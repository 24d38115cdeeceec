import { LISTED_TYPES, type ListedType } from '../capabilities/capability';
import { mapNames, nameCollisions, type MappedName, type NameMember } from '../names/name-map';
import { mapUris } from '../names/resource-uris';
import { SEARCH_TOOL_NAMES, toolsetFilter, type MemberSelection } from './toolset';

/** A server under an aggregate address, with its approved and enabled capabilities. */
export interface AggregateMember extends MemberSelection {
  /** Slug of the server. */
  readonly server: string;
  /** Prefix of the names of its tools and prompts; the slug when undefined. */
  readonly prefix?: string;
  /** Shown names of tools and prompts by original name. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** In the order of the server. `name` is a name, a URI or a URI template. */
  readonly capabilities: readonly { readonly type: ListedType; readonly name: string }[];
}

/**
 * Capabilities of all members as clients of an aggregate address see them, by shown name, URI or
 * URI template.
 */
export type AggregateMap = Readonly<Record<ListedType, ReadonlyMap<string, MappedName>>>;

export interface AggregateOptions {
  /** Whether clients get `search_tools` and `call_tool` in place of the tools. */
  readonly isSearched: boolean;
}

/**
 * Maps the capabilities of all members to distinct names and URIs, in the order of members and of
 * their lists. The result does not depend on the caller, so that capabilities hidden from a caller
 * do not change the names that it sees. Throws `NamePrefixError`.
 */
export function mapMembers(members: readonly AggregateMember[], options: AggregateOptions): AggregateMap {
  const uris = (type: ListedType): ReadonlyMap<string, MappedName> =>
    mapUris(members.map((member) => ({ server: member.server, uris: namesOf(member, type) })));
  const names = (type: ListedType): ReadonlyMap<string, MappedName> =>
    mapNames(nameMembers(members, type), nameOptions(type, options)).byShown;
  return {
    tool: names('tool'),
    prompt: names('prompt'),
    resource: uris('resource'),
    resource_template: uris('resource_template'),
  };
}

/**
 * Returns the tools and prompts that would not be shown under their own names; saving a toolset
 * refuses them.
 */
export const memberCollisions = (
  members: readonly AggregateMember[],
  options: AggregateOptions,
): readonly (MappedName & { readonly type: ListedType })[] =>
  LISTED_TYPES.filter((type) => type === 'tool' || type === 'prompt').flatMap((type) =>
    nameCollisions(nameMembers(members, type), nameOptions(type, options)).map((each) => ({ ...each, type })),
  );

const nameMembers = (members: readonly AggregateMember[], type: ListedType): readonly NameMember[] =>
  members.map((member) => ({ ...member, names: namesOf(member, type) }));

const nameOptions = (type: ListedType, { isSearched }: AggregateOptions) => ({
  reserved: isSearched && type === 'tool' ? SEARCH_TOOL_NAMES : [],
});

function namesOf(member: AggregateMember, type: ListedType): readonly string[] {
  const isIn = toolsetFilter(member);
  return member.capabilities.filter((each) => each.type === type && isIn(each.name)).map(({ name }) => name);
}
