import { ScimGroupEntity } from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import { RULE_ROLES } from '@gw/mcp';
import { EnumField, ResponseField, TextField, validationFailed } from '@gw/web';
import { In, type EntityManager } from 'typeorm';
import { isUuid } from '../auth/tenancy';

const SUBJECTS = ['user', 'group', 'role', 'key', 'client', 'trust'] as const;

/** The caller to which a rule of an MCP server or agent applies. */
export class RuleSubjectDto {
  @EnumField(SUBJECTS, {
    description:
      'group and role apply to the groups and roles of the calling user; keys without a user have none.',
    example: 'user',
  })
  type!: (typeof SUBJECTS)[number];
  @TextField({
    description:
      'Id of the user, key, client or trust; id of a SCIM group, or `sso:` followed by the name of a group from single sign-on; or a role: admin, manager or member of the workspace, organisation_owner, organisation_admin.',
    example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  id!: string;
}

export class RuleSubjectResponse {
  @ResponseField.oneOf(SUBJECTS) readonly type!: string;
  @ResponseField.text({ example: 'member' }) readonly id!: string;
}

/** Types of subjects whose id is a UUID. A client id may be any text. */
const WITH_UUID: ReadonlySet<string> = new Set(['user', 'key', 'trust']);
const ROLES: ReadonlySet<string> = new Set(RULE_ROLES);
/** Prefix of references to groups from single sign-on. */
export const SSO_GROUP_PREFIX = 'sso:';

const GROUP_RULE = `must be the id of a group of SCIM in the organisation, or ${SSO_GROUP_PREFIX} and the name of a group`;
const PATTERN = /^[^*]*\*?$/;

/** Returns the stored form of a subject. */
export const storedSubject = ({ type, id }: RuleSubjectDto): RuleSubjectDto => ({
  ...{ type, id: isUuid(id) ? id.toLowerCase() : id },
});

/** Returns the faults of the subject of a rule; `path` is the path of the rule. */
export function subjectFaults(subject: RuleSubjectDto, path: string): ErrorDetail[] {
  const message = subjectFault(subject);
  return message === null ? [] : [{ path: `${path}.subject.id`, message }];
}

function subjectFault({ type, id }: RuleSubjectDto): string | null {
  if (WITH_UUID.has(type)) return isUuid(id) ? null : `must be the id of a ${type}`;
  if (type === 'role') return ROLES.has(id) ? null : `must be one of ${RULE_ROLES.join(', ')}`;
  if (type === 'group') return isUuid(id) || isSsoGroup(id) ? null : GROUP_RULE;
  return null;
}

const isSsoGroup = (id: string): boolean =>
  id.startsWith(SSO_GROUP_PREFIX) && id.length > SSO_GROUP_PREFIX.length;

/** Returns the faults of patterns. A pattern is a name, or a prefix followed by `*`. */
export const patternFaults = (patterns: readonly string[], path: string): ErrorDetail[] =>
  patterns.flatMap((pattern, place) =>
    PATTERN.test(pattern)
      ? []
      : [{ path: `${path}.${String(place)}`, message: 'may have * only at the end' }],
  );

/**
 * Throws `validation_failed` for groups that do not exist in the organisation, because a denial for
 * them would have no effect.
 */
export async function assertGroups(
  manager: EntityManager,
  { organisationId }: { readonly organisationId: string },
  rules: readonly { readonly subject: RuleSubjectDto }[],
): Promise<void> {
  const named = rules.map(({ subject: { type, id } }) => (type === 'group' && isUuid(id) ? id : null));
  const ids = named.filter((id) => id !== null);
  if (ids.length === 0) return;
  const groups = await manager.find(ScimGroupEntity, {
    where: { organisationId, id: In([...new Set(ids)]) },
    select: { id: true },
  });
  const groupIds = new Set(groups.map(({ id }) => id));
  const faults = named.flatMap((id, index) =>
    id === null || groupIds.has(id)
      ? []
      : [{ path: `rules.${String(index)}.subject.id`, message: GROUP_RULE }],
  );
  if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
}
