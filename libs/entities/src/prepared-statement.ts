import type { DataSource, EntityManager } from 'typeorm';

/**
 * A statement that each connection plans only once. Use it for statements of every request:
 * planning their joins takes Postgres several times longer than executing them.
 */
export class PreparedStatement<Row> {
  private text: string | undefined;

  /**
   * `name` must be unique in the process, and `write` must always return the same text: a
   * connection refuses another text under a known name.
   */
  constructor(
    private readonly name: string,
    private readonly write: (source: DataSource | EntityManager) => string,
  ) {}

  /** Runs the statement and returns its rows; rejects like any other query. */
  run(source: DataSource | EntityManager, parameters: readonly unknown[]): Promise<Row[]> {
    this.text ??= this.write(source);
    // TypeORM passes the object to the driver unchanged. The driver stores the parameters in it, so
    // each run needs its own object.
    const statement = { name: this.name, text: this.text } as unknown as string;
    return source.query<Row[]>(statement, [...parameters]);
  }
}
