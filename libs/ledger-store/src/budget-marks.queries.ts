import type { EntityManager } from 'typeorm';

/** Marks a budget, by its counter, as charged since its status was last computed. */
export interface BudgetMark {
  readonly organisationId: string;
  readonly counter: string;
}

/**
 * Marks budgets as charged, in the transaction of their charges. Marks are written in key order, so
 * that concurrent writers cannot deadlock. If another transaction is deleting a mark, this waits
 * for it, so that no charge is missed.
 */
export async function markBudgets(manager: EntityManager, marks: readonly BudgetMark[]): Promise<void> {
  if (marks.length === 0) return;
  const orderOf = ({ organisationId, counter }: BudgetMark): string => `${organisationId} ${counter}`;
  const sorted = [...new Map(marks.map((mark) => [orderOf(mark), mark])).entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, mark]) => mark);
  await manager.query(
    `INSERT INTO budget_marks (organisation_id, counter) SELECT * FROM unnest($1::uuid[], $2::text[])
     ON CONFLICT (organisation_id, counter) DO UPDATE SET marked_at = now()`,
    [sorted.map(({ organisationId }) => organisationId), sorted.map(({ counter }) => counter)],
  );
}

/**
 * Deletes a mark. Call it before reading the budget's balance: a charge that arrives in between
 * marks the budget again.
 */
export async function clearBudgetMark(manager: EntityManager, mark: BudgetMark): Promise<void> {
  await manager.query('DELETE FROM budget_marks WHERE organisation_id = $1 AND counter = $2', [
    mark.organisationId,
    mark.counter,
  ]);
}

/** Returns the oldest marks, at most `countMax`. */
export async function markedBudgets(manager: EntityManager, countMax: number): Promise<BudgetMark[]> {
  const rows: { organisation_id: string; counter: string }[] = await manager.query(
    'SELECT organisation_id, counter FROM budget_marks ORDER BY marked_at LIMIT $1',
    [countMax],
  );
  return rows.map(({ organisation_id: organisationId, counter }) => ({ organisationId, counter }));
}
