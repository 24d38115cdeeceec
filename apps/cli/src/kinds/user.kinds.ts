import type { Json } from '../api-client';
import { plain } from '../members';
import { post, put, type Item, type Kind, type ExistingItem, type ReconcileContext } from '../kind';

const USERS = '/v1/users';
const INVITES = '/v1/users/invites';
const membersOf = (workspaceId: string): string => `/v1/workspaces/${workspaceId}/users`;

/** Roles by workspace slug. */
type Roles = Readonly<Record<string, string>>;

const rolesOf = (item: Item): Roles => (item['workspaces'] as Roles | undefined) ?? {};

/**
 * Users by address, including open invites: an invite represents its user until it is accepted.
 * Files contain no owners, because only an owner can create, change or remove one.
 */
export const users: Kind = {
  name: 'users',
  identity: ['email'],
  members: {
    email: { normal: (value) => String(value).toLowerCase() },
    ...plain('role', 'workspaces'),
  },
  async existing(context) {
    const memberships = await membershipsOf(context);
    const people = await context.api.all(USERS);
    const invites = await context.api.all(INVITES, { status: 'pending' });
    const existing = [
      ...people
        .filter(({ role }) => role !== 'owner')
        .map((row) =>
          personOf(row, memberships.get(String(row['id'])) ?? {}, `${USERS}/${String(row['id'])}`),
        ),
      ...invites.map((row) => personOf(row, invitedTo(context, row), `${INVITES}/${String(row['id'])}`)),
    ];
    return existing.sort((one, other) => (String(one.item['email']) < String(other.item['email']) ? -1 : 1));
  },
  async create(context, item) {
    const { email } = item;
    const query = new URLSearchParams({ email: String(email), role: 'owner' });
    const owners = await context.api.call<{ total: number }>('GET', `${USERS}?${query.toString()}`);
    if (owners.total > 0)
      throw new Error(
        `users: ${String(email)} is an owner, and only an owner can change owners; remove the item from the file.`,
      );
    return invite(context, item);
  },
  async update(context, path, item, before) {
    // An invite cannot be changed, because its link defines what it grants.
    if (path.startsWith(INVITES)) {
      await context.api.call('DELETE', path);
      return invite(context, item);
    }
    if (item['role'] !== before['role']) await put(context, path, { role: item['role'] });
    await changeMemberships(context, path.slice(USERS.length + 1), rolesOf(before), rolesOf(item));
    return {};
  },
  removable: true,
  unpruned: (item, before) => ({ ...item, workspaces: { ...rolesOf(before), ...rolesOf(item) } }),
};

const personOf = ({ email, role }: Json, workspaces: Roles, path: string): ExistingItem => ({
  item: { email, role, workspaces },
  path,
});

/** Returns the roles by user id. */
async function membershipsOf(context: ReconcileContext): Promise<Map<string, Roles>> {
  const found = new Map<string, Roles>();
  for (const [slug, id] of context.workspaces.all) {
    for (const row of await context.api.all(membersOf(id))) {
      const userId = String(row['id']);
      found.set(userId, { ...found.get(userId), [slug]: String(row['role']) });
    }
  }
  return found;
}

/** Removes workspaces that have been deleted since. */
function invitedTo({ workspaces }: ReconcileContext, invited: Json): Roles {
  const slugs = new Map(workspaces.all.map(([slug, id]) => [id, slug]));
  const places = invited['workspaces'] as readonly { readonly id: string; readonly role: string }[];
  return Object.fromEntries(
    places.flatMap(({ id, role }) => {
      const slug = slugs.get(id);
      return slug === undefined ? [] : [[slug, role]];
    }),
  );
}

const invite = (context: ReconcileContext, item: Item): Promise<Json> =>
  post(context, INVITES, {
    email: item['email'],
    role: item['role'],
    workspaces: Object.entries(rolesOf(item)).map(([slug, role]) => ({
      id: context.workspaces.idOf(slug),
      role,
    })),
  });

async function changeMemberships(
  context: ReconcileContext,
  userId: string,
  before: Roles,
  after: Roles,
): Promise<void> {
  for (const slug of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const role = after[slug];
    if (before[slug] === role) continue;
    const members = membersOf(context.workspaces.idOf(slug));
    if (role === undefined) await context.api.call('DELETE', `${members}/${userId}`);
    else if (before[slug] === undefined) await post(context, members, { users: [{ id: userId, role }] });
    else await put(context, `${members}/${userId}`, { role });
  }
}
