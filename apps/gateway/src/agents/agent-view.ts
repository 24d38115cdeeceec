import { abilitiesOf, type AgentAbilities, type Members, type PushMode, type TaskCaller } from '@gw/a2a';
import type { AgentServerDocument, AgentSkillFacts } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import {
  ALL_SKILLS_ON,
  judgeSkill,
  NO_SKILL,
  skillRules,
  type AccessCaller,
  type AccessServer,
} from '@gw/mcp';
import type { KnownCaller } from '../auth/known-caller';
import type { GuardedServer } from '../guardrails/tool-guards';

/** A reader's view of an agent's card. */
export interface CardView {
  readonly document: AgentServerDocument;
  readonly push: PushMode;
  /** Whether the card is public. */
  readonly isPublic: boolean;
  showsSkill(skillId: string): boolean;
}

/** One caller's view of an agent; it is created once for each version of caller and agent. */
export class AgentView implements CardView {
  readonly isPublic = false;
  /** Skills that the caller may use, by their ids in the card. */
  readonly skills: ReadonlyMap<string, AgentSkillFacts>;
  /** Whether the caller may send messages that name no skill. */
  readonly mayOmitSkill: boolean;
  readonly abilities: AgentAbilities;
  readonly guarded: GuardedServer;
  /** Owner of the tasks and contexts that the caller creates. */
  readonly taskCaller: TaskCaller;

  constructor(
    readonly document: AgentServerDocument,
    readonly caller: KnownCaller,
    readonly push: PushMode,
  ) {
    const access = accessOf(document);
    const allows = (skillId: string): boolean => isAllowed(access, skillId, caller.access);
    this.skills = new Map(
      document.skills.filter(({ skillId }) => allows(skillId)).map((skill) => [skill.skillId, skill]),
    );
    this.mayOmitSkill = allows(NO_SKILL);
    this.abilities = abilitiesOf(cardOf(document), push);
    this.guarded = guardedOf(document);
    this.taskCaller = taskCallerOf(document, caller);
  }

  /**
   * False when the caller may use nothing of the agent, which then does not exist for the caller.
   */
  get isVisible(): boolean {
    return this.mayOmitSkill || this.skills.size > 0;
  }

  showsSkill(skillId: string): boolean {
    return this.skills.has(skillId);
  }
}

/** The view of an agent whose card is public. */
export class PublicAgentView implements CardView {
  readonly isPublic = true;
  private readonly access: AccessServer;
  private readonly approved: ReadonlySet<string>;

  constructor(
    readonly document: AgentServerDocument,
    readonly push: PushMode,
  ) {
    this.access = accessOf(document);
    this.approved = new Set(document.skills.map(({ skillId }) => skillId));
  }

  showsSkill(skillId: string): boolean {
    return this.approved.has(skillId) && isAllowed(this.access, skillId, ANYBODY);
  }
}

const ANYBODY: AccessCaller = {
  ...{
    userId: null,
    groups: [],
    roles: [],
    keyId: null,
    clientId: null,
    trustId: null,
    scopes: [],
    key: null,
  },
};

const isAllowed = (access: AccessServer, skillId: string, caller: AccessCaller): boolean =>
  judgeSkill(access, { ...ALL_SKILLS_ON, name: skillId }, caller).kind === 'allow';

/** Returns whether a caller may use anything of an agent. */
export function mayUse(document: AgentServerDocument, caller: AccessCaller): boolean {
  const access = accessOf(document);
  const skillIds = [NO_SKILL, ...document.skills.map(({ skillId }) => skillId)];
  return skillIds.some((skillId) => isAllowed(access, skillId, caller));
}

/** Returns the approved card. The control plane stores only JSON objects. */
export function cardOf({ card }: Pick<AgentServerDocument, 'card'>): Members {
  const parsed: unknown = JSON.parse(card);
  return isObject(parsed) ? parsed : {};
}

const accessOf = ({ slug, userAccess, rules, defaultEffect }: AgentServerDocument): AccessServer => ({
  slug,
  isAvailable: true,
  userAccess: { isAllowed: userAccess.isAllowed, exceptions: new Map(Object.entries(userAccess.exceptions)) },
  rules: skillRules(slug, rules),
  defaultEffect,
});

const guardedOf = ({ slug, workspaceId, guardrails }: AgentServerDocument): GuardedServer => ({
  ...{ slug, workspaceId },
  guardrails: guardrails.map(({ skillIds, ...mapping }) => ({ ...mapping, capabilityIds: skillIds })),
});

/**
 * Returns the owner of the caller's tasks. The subjects of a trust's tokens are chosen by its
 * issuer, so they are kept apart from users of Tollgate.
 */
function taskCallerOf({ workspaceId }: AgentServerDocument, { principal, access }: KnownCaller): TaskCaller {
  const { key } = principal;
  const keyId = access.trustId === null ? key.id : `${access.trustId}/${key.userId ?? ''}`;
  return { workspaceId, userId: access.userId, keyId };
}
