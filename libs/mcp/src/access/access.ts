import type { McpKeyAccess } from '@gw/contracts';
import { hintOf } from '../capabilities/approval';
import type { JsonObject } from '../protocol';
import { judgeCondition, type ArgumentCondition } from './argument-conditions';

export type SubjectType = 'user' | 'group' | 'role' | 'key' | 'client' | 'trust';

/**
 * An access rule that an administrator wrote. `tools` holds tool names, or prefixes that end in
 * `*`.
 */
export interface AccessRule {
  readonly subject: { readonly type: SubjectType; readonly id: string };
  /** Slug of the server; `*` for all. */
  readonly server: string;
  readonly tools: readonly string[];
  /** `ask`: allowed after a person approves the call. */
  readonly effect: 'allow' | 'deny' | 'ask';
  /** Conditions on the arguments, all of which must hold; an empty list matches every call. */
  readonly when: readonly ArgumentCondition[];
}

export interface AccessCaller {
  readonly userId: string | null;
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly keyId: string | null;
  readonly clientId: string | null;
  readonly trustId: string | null;
  /**
   * `mcp.invoke` covers all servers, `mcp.invoke:<server>` one server, `mcp.invoke:<server>/<tool>`
   * one tool.
   */
  readonly scopes: readonly string[];
  /** Restrictions of an API key: they narrow what its owner may use. */
  readonly key: McpKeyAccess | null;
}

export interface AccessServer {
  readonly slug: string;
  /**
   * Server and integration are active, the integration is enabled for the workspace, and the grant
   * exists.
   */
  readonly isAvailable: boolean;
  /** Whether users may use the server: the default, and the users for whom it differs. */
  readonly userAccess: { readonly isAllowed: boolean; readonly exceptions: ReadonlyMap<string, boolean> };
  readonly rules: readonly AccessRule[];
  /** Effect for tools that no rule matches. */
  readonly defaultEffect: 'allow' | 'deny';
}

export interface AccessCapability {
  /** Name that the server gives the capability. */
  readonly name: string;
  /**
   * The approved definition, from which hints are read; null while it is pending, changed or
   * rejected.
   */
  readonly approved: JsonObject | null;
  /** True for resources and prompts, which change nothing. Absent: a tool. */
  readonly isRead?: boolean;
  readonly isEnabledAtIntegration: boolean;
  readonly isEnabledAtServer: boolean;
}

export type AccessVerdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask' }
  /** The capability is not listed, and a call gets the same response as for an unknown one. */
  | { readonly kind: 'hidden' }
  | { readonly kind: 'server_unknown' }
  | { readonly kind: 'insufficient_scope'; readonly scope: string }
  /** The caller may use the tool, but not with these arguments. */
  | { readonly kind: 'arguments_refused'; readonly pointer: string };

export const MCP_SCOPE = 'mcp.invoke';

/**
 * Decides whether a caller may call a capability with these arguments or, with `args` null, see it
 * in a list. Lists, calls, the registry and previews use it. Checks go from the installation down
 * to the key; each check can only restrict.
 */
export function judgeAccess(
  server: AccessServer,
  capability: AccessCapability,
  caller: AccessCaller,
  args: JsonObject | null,
): AccessVerdict {
  if (!caller.scopes.some((scope) => scope === MCP_SCOPE || scope.startsWith(`${MCP_SCOPE}:`)))
    return { kind: 'insufficient_scope', scope: MCP_SCOPE };
  const verdict = judgeGrants(server, capability, caller, args);
  if (verdict.kind === 'server_unknown' || verdict.kind === 'hidden') return verdict;
  if (hasScope(caller.scopes, server.slug, capability.name)) return verdict;
  return { kind: 'insufficient_scope', scope: `${MCP_SCOPE}:${server.slug}/${capability.name}` };
}

/** Decides like `judgeAccess`, but does not check the scopes of `caller`. */
export function judgeGrants(
  server: AccessServer,
  capability: AccessCapability,
  caller: AccessCaller,
  args: JsonObject | null,
): AccessVerdict {
  if (!server.isAvailable) return { kind: 'server_unknown' };
  const isOn =
    capability.approved !== null && capability.isEnabledAtIntegration && capability.isEnabledAtServer;
  if (!isOn || !isUserAllowed(server, caller) || !isKeyAllowed(server, capability, caller.key)) return HIDDEN;
  return judgeRules(server, capability.name, caller, args);
}

const HIDDEN: AccessVerdict = { kind: 'hidden' };

const hasScope = (scopes: readonly string[], server: string, tool: string): boolean =>
  [MCP_SCOPE, `${MCP_SCOPE}:${server}`, `${MCP_SCOPE}:${server}/${tool}`].some((scope) =>
    scopes.includes(scope),
  );

/**
 * Returns whether user access and the restrictions of the key let the caller use the server at all.
 * Access rules can restrict it further.
 */
export function mayUseServer(server: AccessServer, caller: AccessCaller): boolean {
  const { servers, tools } = caller.key ?? {};
  const isNamed = servers === undefined || servers.includes(server.slug);
  const hasTool = tools === undefined || tools.some((each) => each.startsWith(`${server.slug}/`));
  return isNamed && hasTool && isUserAllowed(server, caller);
}

/**
 * Returns whether user access lets the caller use the server at all. Access rules can restrict it
 * further.
 */
export function isUserAllowed({ userAccess }: AccessServer, { userId }: AccessCaller): boolean {
  const exception = userId === null ? undefined : userAccess.exceptions.get(userId);
  return exception ?? userAccess.isAllowed;
}

/** Returns whether the restrictions of a key leave it the capability. */
export function isKeyAllowed(
  { slug }: Pick<AccessServer, 'slug'>,
  { name, approved, isRead = false }: AccessCapability,
  key: McpKeyAccess | null,
): boolean {
  if (key === null) return true;
  if (key.servers !== undefined && !key.servers.includes(slug)) return false;
  if (
    key.tools !== undefined &&
    !key.tools.some((each) => each === `${slug}/${name}` || each === `${slug}/*`)
  )
    return false;
  return key.readOnly !== true || isRead || (approved !== null && hintOf(approved, 'readOnlyHint'));
}

const RULES_MAX = 10_000;

/** Judges by the matching rules: a deny overrides everything, an `ask` overrides an allow. */
function judgeRules(
  server: AccessServer,
  tool: string,
  caller: AccessCaller,
  args: JsonObject | null,
): AccessVerdict {
  const matching = matchingRules(server, tool, caller);
  const of = (effect: AccessRule['effect']): readonly AccessRule[] =>
    matching.filter((rule) => rule.effect === effect);
  for (const rule of of('deny')) {
    if (rule.when.length === 0) return HIDDEN;
    if (args !== null && applies(rule, args, true)) return refused(rule);
  }
  const isAsking = of('ask').some((rule) => args === null || applies(rule, args, true));
  if (isAsking) return { kind: args === null ? 'allow' : 'ask' };
  const allowing = of('allow');
  const isAllowed = allowing.some((rule) => args === null || applies(rule, args, false));
  if (isAllowed) return { kind: 'allow' };
  if (server.defaultEffect === 'allow') return { kind: 'allow' };
  const narrow = allowing[0] ?? of('ask')[0];
  return narrow === undefined ? HIDDEN : refused(narrow);
}

/**
 * Returns the rules whose subject is the caller, so that many decisions about the caller can share
 * them.
 */
export const rulesAbout = (rules: readonly AccessRule[], caller: AccessCaller): readonly AccessRule[] =>
  rules.slice(0, RULES_MAX).filter(({ subject }) => isSubject(subject, caller));

const matchingRules = (server: AccessServer, tool: string, caller: AccessCaller): readonly AccessRule[] =>
  server.rules
    .slice(0, RULES_MAX)
    .filter((rule) => isAbout(rule, server.slug, tool) && isSubject(rule.subject, caller));

/**
 * Returns the rule that decides whether the tool is listed for the caller; null when no rule does.
 * Previews use it.
 */
export function decidingRule(server: AccessServer, tool: string, caller: AccessCaller): AccessRule | null {
  const matching = matchingRules(server, tool, caller);
  const first = (effect: AccessRule['effect']): AccessRule | undefined =>
    matching.find((rule) => rule.effect === effect);
  const denying = matching.find(({ effect, when }) => effect === 'deny' && when.length === 0);
  return denying ?? first('ask') ?? first('allow') ?? null;
}

const refused = ({ when }: AccessRule): AccessVerdict => ({
  kind: 'arguments_refused',
  pointer: when[0]?.pointer ?? '',
});

/**
 * Returns whether the arguments meet every condition of a rule; `isUnknown` is the result for a
 * condition that cannot be judged.
 */
const applies = ({ when }: AccessRule, args: JsonObject, isUnknown: boolean): boolean =>
  when.every((condition) => {
    const result = judgeCondition(condition, args);
    return result === 'unknown' ? isUnknown : result === 'holds';
  });

const isAbout = (rule: AccessRule, server: string, tool: string): boolean =>
  (rule.server === '*' || rule.server === server) && rule.tools.some((pattern) => matchesName(pattern, tool));

/**
 * Returns whether a name equals the pattern, or begins with the text before the pattern's final
 * `*`.
 */
export const matchesName = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

function isSubject({ type, id }: AccessRule['subject'], caller: AccessCaller): boolean {
  switch (type) {
    case 'user':
      return caller.userId === id;
    case 'group':
      return caller.groups.includes(id);
    case 'role':
      return caller.roles.includes(id);
    case 'key':
      return caller.keyId === id;
    case 'client':
      return caller.clientId === id;
    case 'trust':
      return caller.trustId === id;
  }
}
