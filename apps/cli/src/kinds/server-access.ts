import type { Json } from '../api-client';
import { put, type ExistingItem, type Kind, type ReconcileContext } from '../kind';
import { plain, type Members } from '../members';
import { RULE_SUBJECT, SubjectNames } from './rule-subjects';

/** Describes one kind of access of users to servers or agents. */
export interface ServerAccess {
  readonly name: string;
  /** Member with the slug of the server or agent. */
  readonly of: string;
  readonly path: string;
  /** Members of a rule besides its subject. */
  readonly rule: Members;
  /** Reads the servers or agents as items. */
  readonly existing: (
    context: ReconcileContext,
    toItem: (row: Json, workspaceId: string) => Json | Promise<Json>,
  ) => Promise<ExistingItem[]>;
}

/**
 * Returns the kind for an access. Files do not contain exceptions for single members; they have
 * rules for users.
 */
export const serverAccess = ({ name, of, path, rule, existing }: ServerAccess): Kind => ({
  name,
  identity: [of, 'workspace'],
  members: {
    ...plain(of, 'workspace'),
    default_user_access: { fallback: 'allow' },
    default: { fallback: 'allow' },
    rules: { members: { ...RULE_SUBJECT, ...rule } },
  },
  removable: false,
  existing(context) {
    const names = new SubjectNames(context);
    return existing(context, async ({ id, slug }, workspaceId) => {
      const at = (part: string): string => `${path}/${String(id)}/${part}?workspace_id=${workspaceId}`;
      const rules = await context.api.call<{ rules: Json[]; default: string }>('GET', at('access-rules'));
      const users = await context.api.call('GET', `${at('user-access')}&page_size=1`);
      return {
        [of]: slug,
        default_user_access: users['default_user_access'],
        default: rules.default,
        rules: await names.inFile(rules.rules),
      };
    });
  },
  async update(context, at, item) {
    const [server = at, query = ''] = at.split('?');
    await put(context, `${server}/user-access?${query}`, {
      default_user_access: item['default_user_access'],
    });
    return put(context, `${server}/access-rules?${query}`, {
      rules: await new SubjectNames(context).inApi((item['rules'] as Json[] | undefined) ?? []),
      default: item['default'],
    });
  },
});
