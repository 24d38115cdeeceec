import type { Json } from '../api-client';
import { NOT_MADE, type ReconcileContext } from '../kind';
import { plain, type Members } from '../members';
import { isFields } from '../values';

/**
 * Subjects of rules that a file identifies by another member than the id, because ids differ
 * between organisations.
 */
const NAMED = {
  user: { path: '/v1/users', name: 'email' },
  trust: { path: '/v1/trusts', name: 'name' },
} as const;

type NamedType = keyof typeof NAMED;
interface Subject {
  readonly type: string;
  readonly id: string;
}

const isNamed = (type: string): type is NamedType => Object.hasOwn(NAMED, type);

/** Returns a subject in the form for comparison: email addresses in lower case. */
const subjectForm = (value: unknown): unknown =>
  isFields(value) && value['type'] === 'user' ? { ...value, id: String(value['id']).toLowerCase() } : value;

/** Members of the rules about callers. */
export const RULE_SUBJECT: Members = {
  subject: { members: plain('type', 'id'), normal: subjectForm },
};

/**
 * Converts between ids and names of users and trusts. Reads each list once, when a rule needs it.
 */
export class SubjectNames {
  private readonly lists = new Map<NamedType, Promise<readonly Json[]>>();

  constructor(private readonly context: ReconcileContext) {}

  /** Replaces ids by names; unknown ids stay. */
  inFile(rules: readonly Json[]): Promise<Json[]> {
    return this.replaced(rules, async ({ type, id }, { name }) => {
      const row = (await this.rows(type)).find((one) => one['id'] === id);
      return row === undefined ? id : String(row[name]);
    });
  }

  /** Replaces names by ids; unknown names stay, so that the control plane refuses them. */
  inApi(rules: readonly Json[]): Promise<Json[]> {
    return this.replaced(rules, async ({ type, id }, { name }) => {
      const row = (await this.rows(type)).find((one) => one[name] === id);
      if (row !== undefined) return String(row['id']);
      return this.context.planned.has(id) ? NOT_MADE : id;
    });
  }

  private replaced(
    rules: readonly Json[],
    idOf: (
      subject: Subject & { readonly type: NamedType },
      named: (typeof NAMED)[NamedType],
    ) => Promise<string>,
  ): Promise<Json[]> {
    return Promise.all(
      rules.map(async (rule) => {
        const subject = rule['subject'] as Subject;
        const { type } = subject;
        if (!isNamed(type)) return rule;
        return { ...rule, subject: { type, id: await idOf({ ...subject, type }, NAMED[type]) } };
      }),
    );
  }

  private rows(type: NamedType): Promise<readonly Json[]> {
    const known = this.lists.get(type);
    if (known !== undefined) return known;
    const rows = this.context.api.all(NAMED[type].path);
    this.lists.set(type, rows);
    return rows;
  }
}
