import type { AgentAccessRule } from '@gw/contracts';
import type { AccessCapability, AccessRule } from './access';

/**
 * The name under which messages that name no skill are judged: rules about all skills are about
 * them too.
 */
export const NO_SKILL = '';

/** A skill that is approved and switched on everywhere, without its name. */
export const ALL_SKILLS_ON: Omit<AccessCapability, 'name'> = {
  ...{ approved: {}, isEnabledAtIntegration: true, isEnabledAtServer: true },
};

/** Returns the rules of an agent about its skills as rules about tools. */
export const skillRules = (slug: string, rules: readonly AgentAccessRule[]): AccessRule[] =>
  rules.map(({ subject, skills, effect }) => ({ subject, tools: skills, effect, server: slug, when: [] }));
