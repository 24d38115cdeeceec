import type { AgentAccessRule } from '@gw/contracts';
import type { AccessCapability, AccessRule } from './access';

/** Skill name by which messages without a skill are judged; rules about all skills match it too. */
export const NO_SKILL = '';

/** Capability of a skill that is approved and enabled everywhere; the caller adds the name. */
export const ALL_SKILLS_ON: Omit<AccessCapability, 'name'> = {
  ...{ approved: {}, isEnabledAtIntegration: true, isEnabledAtServer: true },
};

/** Returns the rules of an agent about its skills as rules about tools. */
export const skillRules = (slug: string, rules: readonly AgentAccessRule[]): AccessRule[] =>
  rules.map(({ subject, skills, effect }) => ({ subject, tools: skills, effect, server: slug, when: [] }));
