import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What budgets were charged in each hour, for two weeks: a forecast needs to know how fast, and not only how much. */
export class BudgetHours1795422000000 implements MigrationInterface {
  readonly name = 'BudgetHours1795422000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE budget_hours (
        organisation_id uuid NOT NULL,
        account text NOT NULL,
        period bigint NOT NULL,
        hour bigint NOT NULL,
        cost bigint NOT NULL,
        tokens bigint NOT NULL,
        requests bigint NOT NULL,
        CONSTRAINT budget_hours_pk PRIMARY KEY (organisation_id, account, hour, period)
      )`);
    await runner.query('CREATE INDEX budget_hours_hour_ix ON budget_hours (hour)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE budget_hours');
  }
}
