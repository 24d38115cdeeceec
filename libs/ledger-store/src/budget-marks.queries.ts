import type { EntityManager } from 'typeorm';

/** A budget by its counter. */
export interface BudgetMark {
  readonly organisationId: string;
  readonly counter: string;
}

/**
 * Notes that budgets were charged, in the transaction of their charges. In one order, so that two writers never wait for each other's rows;
 * a mark that another transaction takes away is waited for, so that no charge is overlooked.
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

/** Before the balance is read that the mark asks for: a charge that comes meanwhile marks the budget again. */
export async function clearBudgetMark(manager: EntityManager, mark: BudgetMark): Promise<void> {
  await manager.query('DELETE FROM budget_marks WHERE organisation_id = $1 AND counter = $2', [
    mark.organisationId,
    mark.counter,
  ]);
}

/** The oldest ones. */
export async function markedBudgets(manager: EntityManager, countMax: number): Promise<BudgetMark[]> {
  const rows: { organisation_id: string; counter: string }[] = await manager.query(
    'SELECT organisation_id, counter FROM budget_marks ORDER BY marked_at LIMIT $1',
    [countMax],
  );
  return rows.map(({ organisation_id: organisationId, counter }) => ({ organisationId, counter }));
}
