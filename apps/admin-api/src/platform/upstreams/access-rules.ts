import type { ErrorDetail } from '@gw/kernel';
import { EnumField, ResponseField, TextField } from '@gw/web';
import { isUuid } from '../auth/tenancy';

const SUBJECTS = ['user', 'group', 'role', 'key', 'client', 'trust'] as const;
export const EFFECTS = ['allow', 'deny'] as const;

export class RuleSubjectDto {
  @EnumField(SUBJECTS, {
    description: 'group and role are refused until gateways enforce rules for them.',
    example: 'user',
  })
  type!: (typeof SUBJECTS)[number];
  @TextField({
    description: 'Id of the user, key, client or trust.',
    example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  id!: string;
}

export class RuleSubjectResponse {
  @ResponseField.oneOf(SUBJECTS) readonly type!: string;
  @ResponseField.text({ example: 'member' }) readonly id!: string;
}

/** Subjects that gateways do not know of a caller, so that a rule about them would do nothing. */
const NOT_ENFORCED: ReadonlySet<string> = new Set(['group', 'role']);
/** Subjects that have a UUID; a client has any text. */
const WITH_UUID: ReadonlySet<string> = new Set(['user', 'key', 'trust']);
const PATTERN = /^[^*]*\*?$/;

/** Returns the stored form of a subject. */
export const storedSubject = ({ type, id }: RuleSubjectDto): RuleSubjectDto => ({
  ...{ type, id: isUuid(id) ? id.toLowerCase() : id },
});

/** Returns the faults of the subject of a rule; `path` is that of the rule. */
export function subjectFaults({ type, id }: RuleSubjectDto, path: string): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  if (WITH_UUID.has(type) && !isUuid(id))
    faults.push({ path: `${path}.subject.id`, message: `must be the id of a ${type}` });
  if (NOT_ENFORCED.has(type)) {
    const message = `gateways do not enforce rules for a ${type}; use user, key, client or trust`;
    faults.push({ path: `${path}.subject.type`, message });
  }
  return faults;
}

/** Returns the faults of names, or beginnings of names before a final `*`. */
export const patternFaults = (patterns: readonly string[], path: string): ErrorDetail[] =>
  patterns.flatMap((pattern, place) =>
    PATTERN.test(pattern)
      ? []
      : [{ path: `${path}.${String(place)}`, message: 'may have * only at the end' }],
  );
