import type { AgentAccessRule } from '@gw/contracts';
import {
  judgeGrants,
  type AccessCaller,
  type AccessCapability,
  type AccessRule,
  type AccessServer,
  type AccessVerdict,
} from './access';

/** Skill name by which messages without a skill are judged; rules about all skills match it too. */
export const NO_SKILL = '';

/** Capability of a skill that is approved and enabled everywhere; the caller adds the name. */
export const ALL_SKILLS_ON: Omit<AccessCapability, 'name'> = {
  ...{ approved: {}, isEnabledAtIntegration: true, isEnabledAtServer: true },
};

/** Returns the rules of an agent about its skills as rules about tools. */
export const skillRules = (slug: string, rules: readonly AgentAccessRule[]): AccessRule[] =>
  rules.map(({ subject, skills, effect }) => ({ subject, tools: skills, effect, server: slug, when: [] }));

/**
 * Decides whether a caller may use a skill of an agent, without its scopes. Restrictions of a key
 * to MCP servers do not concern agents.
 */
export const judgeSkill = (
  agent: AccessServer,
  skill: AccessCapability,
  caller: AccessCaller,
): AccessVerdict => judgeGrants(agent, skill, { ...caller, key: null }, null);
