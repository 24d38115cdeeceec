import { Pattern } from '@gw/config-schema';
import type { InvitedWorkspace, SsoConnectionEntity, SsoGroupRule } from '@gw/entities';
import { invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import { asciiDomain, hasVerifiedDomain } from '../../platform/accounts/verified-domains';
import { assertMayGrant, rightsOfRole } from '../../platform/auth/grants';
import { securityOf } from '../../platform/auth/security';
import { workspaceIds } from '../../platform/auth/workspace-references';
import type { Principal } from '../../platform/common/principal';
import type { DefaultWorkspaceDto, GroupRuleDto } from './group-rules.dto';

/** Maximum number of patterns of one connection; each is matched against every group of a user. */
const PATTERNS_MAX = 10;

/**
 * Returns the domains in lower-case ASCII form, with which domains of addresses are compared.
 * Throws `validation_failed` for a domain that the organisation has not verified. `field` is the
 * request field for the error.
 */
export async function domainsOf(
  manager: EntityManager,
  organisationId: string,
  domains: readonly string[],
  field = 'domains',
): Promise<string[]> {
  const ascii = domains.map(asciiDomain);
  for (const [index, domain] of ascii.entries()) {
    if (await hasVerifiedDomain(manager, organisationId, `x@${domain}`)) continue;
    throw invalid(
      `${field}.${String(index)}`,
      'must be a verified domain of the organisation; verify it first',
    );
  }
  return [...new Set(ascii)];
}

/**
 * Returns the workspaces in which users get roles. `nameOf` returns the request field of an index.
 * Throws for a role that the caller lacks.
 */
export async function workspacesOf(
  manager: EntityManager,
  caller: Principal,
  given: readonly DefaultWorkspaceDto[],
  nameOf = (index: number): string => `default_workspaces.${String(index)}`,
): Promise<InvitedWorkspace[]> {
  const { organisationId } = caller;
  const names = given.map(({ workspace }) => workspace);
  const ids = await workspaceIds(manager, organisationId, names, (index) => `${nameOf(index)}.workspace`);
  for (const [index, { role }] of given.entries()) {
    const settings = await securityOf(manager, organisationId, ids[index] ?? null);
    assertMayGrant(caller, rightsOfRole('member', role, settings), `The role ${role}`, nameOf(index));
  }
  return given.map(({ role }, index) => ({ id: ids[index] ?? '', role }));
}

/**
 * Throws for a stored role that the caller lacks: whoever changes the provider of a connection can
 * admit any user with the roles that the connection gives.
 */
export async function assertMayGiveStored(
  manager: EntityManager,
  caller: Principal,
  { organisationId, defaultWorkspaces, groupRules }: SsoConnectionEntity,
): Promise<void> {
  const stored = [
    ...defaultWorkspaces.map(({ id, role }) => ({ workspaceId: id, role, field: 'default_workspaces' })),
    ...groupRules.map(({ workspaceId, role }) => ({ workspaceId, role, field: 'group_rules' })),
  ];
  for (const { workspaceId, role, field } of stored) {
    const settings = await securityOf(manager, organisationId, workspaceId);
    const rights =
      workspaceId === null ? rightsOfRole('admin', null, settings) : rightsOfRole('member', role, settings);
    assertMayGrant(caller, rights, `The role ${role}`, field);
  }
}

/**
 * Returns the group rules. Throws for a rule that gives a role which the caller lacks, and for an
 * invalid pattern.
 */
export async function groupRulesOf(
  manager: EntityManager,
  caller: Principal,
  rules: readonly GroupRuleDto[],
): Promise<SsoGroupRule[]> {
  assertPatterns(rules);
  const named = rules.flatMap(({ workspace, role }, index) =>
    workspace === null || workspace === undefined ? [] : [{ workspace, role, index }],
  );
  const nameOf = (index: number): string => `group_rules.${String(index)}`;
  const checkedWorkspaces = await workspacesOf(manager, caller, named, (each) =>
    nameOf(named[each]?.index ?? 0),
  );
  const idOf = new Map(named.map(({ index }, each) => [index, checkedWorkspaces[each]?.id ?? null]));
  const settings = await securityOf(manager, caller.organisationId, null);
  return rules.map(({ match, value, role }, index) => {
    const workspaceId = idOf.get(index) ?? null;
    const field = `${nameOf(index)}.role`;
    if (workspaceId === null) {
      if (role !== 'admin') throw invalid(field, 'without a workspace the role must be admin');
      assertMayGrant(caller, rightsOfRole('admin', null, settings), 'The role admin', field);
    }
    return { match, value, role, workspaceId };
  });
}

function assertPatterns(rules: readonly GroupRuleDto[]): void {
  let count = 0;
  for (const [index, { match, value }] of rules.entries()) {
    if (match !== 'regex') continue;
    count += 1;
    const pattern = Pattern.compile(value);
    if (typeof pattern === 'string') throw invalid(`group_rules.${String(index)}.value`, pattern);
  }
  if (count > PATTERNS_MAX) {
    throw invalid('group_rules', `group_rules can have at most ${String(PATTERNS_MAX)} patterns`);
  }
}
