import type { DataSource, EntityManager } from 'typeorm';

/**
 * A statement that each connection plans once, for what every request runs: planning its joins
 * takes Postgres several times longer than running it.
 */
export class PreparedStatement<Row> {
  private text: string | undefined;

  /**
   * `name` must be the only one of its kind in the process, and `write` always return the same
   * text: a connection refuses another text under a name that it knows.
   */
  constructor(
    private readonly name: string,
    private readonly write: (source: DataSource | EntityManager) => string,
  ) {}

  /** Rejects like any other query. */
  run(source: DataSource | EntityManager, parameters: readonly unknown[]): Promise<Row[]> {
    this.text ??= this.write(source);
    // TypeORM hands it to the driver as it is. The driver keeps the parameters in the object, so
    // each run has its own.
    const statement = { name: this.name, text: this.text } as unknown as string;
    return source.query<Row[]>(statement, [...parameters]);
  }
}
