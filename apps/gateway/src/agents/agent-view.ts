import { abilitiesOf, type AgentAbilities, type Members, type PushMode, type TaskCaller } from '@gw/a2a';
import type { AgentServerDocument, AgentSkillFacts } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import {
  ALL_SKILLS_ON,
  judgeGrants,
  NO_SKILL,
  skillRules,
  type AccessCaller,
  type AccessServer,
} from '@gw/mcp';
import type { KnownCaller } from '../auth/known-caller';
import type { GuardedServer } from '../guardrails/tool-guards';

/** An agent as a reader of its card sees it. */
export interface CardView {
  readonly document: AgentServerDocument;
  readonly push: PushMode;
  /** Whether everybody may read the card. */
  readonly isPublic: boolean;
  showsSkill(skillId: string): boolean;
}

/** An agent as one caller sees it, made once for each version of both. */
export class AgentView implements CardView {
  readonly isPublic = false;
  /** Skills that the caller may name, by their ids in the card. */
  readonly skills: ReadonlyMap<string, AgentSkillFacts>;
  /** Whether the caller may send messages that name no skill. */
  readonly mayNameNone: boolean;
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
    this.mayNameNone = allows(NO_SKILL);
    this.abilities = abilitiesOf(cardOf(document), push);
    this.guarded = guardedOf(document);
    this.taskCaller = taskCallerOf(document, caller);
  }

  /** An agent of which the caller may use nothing is the same to the caller as one that does not exist. */
  get isVisible(): boolean {
    return this.mayNameNone || this.skills.size > 0;
  }

  showsSkill(skillId: string): boolean {
    return this.skills.has(skillId);
  }
}

/** An agent whose card is listed for everybody. */
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
  judgeGrants(access, { ...ALL_SKILLS_ON, name: skillId }, caller, null).kind === 'allow';

/** The approved card. The control plane stores only objects. */
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

/** Tokens of a trust name their subjects as they like, so a subject is no user of ours. */
function taskCallerOf({ workspaceId }: AgentServerDocument, { principal, access }: KnownCaller): TaskCaller {
  const { key } = principal;
  const keyId = access.trustId === null ? key.id : `${access.trustId}/${key.userId ?? ''}`;
  return { workspaceId, userId: access.userId, keyId };
}
