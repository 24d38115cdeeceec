import { digestOf, isObject } from '@gw/kernel';
import type { Members } from '../shapes/members';
import { canonicalJson } from './canonical-json';

/** Which changes of a card need an approval: none, those after the first card, or all. */
export type ApprovalMode = 'auto' | 'review_changes' | 'review_all';

/** Difference between a newly fetched card and the approved one. */
export interface CardChange {
  /** Whether the new card may replace the approved one. */
  readonly isApplied: boolean;
  /** Ids of new and changed skills that wait for an approval. */
  readonly pendingSkills: readonly string[];
  /** Ids of skills that the new card no longer has. They are hidden immediately. */
  readonly removedSkills: readonly string[];
  /**
   * Whether name, description, provider or another text of the agent itself waits for an approval.
   */
  readonly isAgentPending: boolean;
  /**
   * `moved`: the new card names another origin. It is applied in no mode, and administrators are
   * alerted.
   */
  readonly alert: 'moved' | null;
}

/** A card whose address is judged; see `readCard`. */
interface JudgedCard {
  readonly card: Members;
  readonly url: string;
}

/**
 * Members that the digest of the agent excludes: skills have their own digests, separate rules
 * judge addresses, and signatures are verified.
 */
const NOT_DIGESTED: ReadonlySet<string> = new Set([
  'skills',
  'signatures',
  'url',
  'supportedInterfaces',
  'additionalInterfaces',
]);

/**
 * Returns the digest of a skill for an approval: SHA-256 of its canonical JSON, base64url. Throws
 * `CanonicalFault`.
 */
export const skillDigest = (skill: Members): string => digestOf('a2a-skill', [canonicalJson(skill)]);

/**
 * Compares a fetched card with the approved one. `approved` is null for the first card of an agent.
 * Throws `CanonicalFault`.
 */
export function cardChange(approved: JudgedCard | null, fetched: JudgedCard, mode: ApprovalMode): CardChange {
  const before = skillsOf(approved?.card);
  const after = skillsOf(fetched.card);
  const removedSkills = [...before.keys()].filter((id) => !after.has(id));
  const isMoved = approved !== null && originOf(approved) !== originOf(fetched);
  const waits = isMoved || isReviewed(mode, approved === null);
  const changed = [...after.keys()].filter((id) => before.get(id) !== after.get(id));
  const pendingSkills = waits ? changed : [];
  const isAgentPending = waits && agentDigest(approved?.card) !== agentDigest(fetched.card);
  return {
    isApplied: !isMoved && pendingSkills.length === 0 && !isAgentPending,
    pendingSkills,
    removedSkills,
    isAgentPending,
    alert: isMoved ? 'moved' : null,
  };
}

const originOf = ({ url }: JudgedCard): string => new URL(url).origin;

const isReviewed = (mode: ApprovalMode, isFirst: boolean): boolean =>
  mode === 'review_all' || (mode === 'review_changes' && !isFirst);

function skillsOf(card: Members | undefined): ReadonlyMap<string, string> {
  const skills = card?.['skills'];
  if (!Array.isArray(skills)) return new Map();
  return new Map(
    skills.flatMap((skill: unknown): [string, string][] =>
      isObject(skill) && typeof skill['id'] === 'string' ? [[skill['id'], skillDigest(skill)]] : [],
    ),
  );
}

function agentDigest(card: Members | undefined): string | null {
  if (card === undefined) return null;
  const compared = Object.entries(card).filter(([name]) => !NOT_DIGESTED.has(name));
  return digestOf('a2a-agent', [canonicalJson(Object.fromEntries(compared))]);
}
