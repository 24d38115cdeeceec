import { SCENARIOS, type Scenario } from './scenario';

/** The result of one cell in a run: success, or the type of the intended 400. */
export type CellResult = string;
export const PASSED: CellResult = 'passed';

export const cellOf = (client: string, provider: string, scenario: Scenario): string =>
  `${client}, ${provider}, ${scenario}`;

/** The table of `docs/dialects.md`: a row for each client, a column for each provider. */
export function tableOf(
  clients: readonly string[],
  providers: readonly string[],
  results: ReadonlyMap<string, CellResult>,
): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const cell = (client: string, provider: string): string => {
    const seen = SCENARIOS.flatMap((scenario) => {
      const result = results.get(cellOf(client, provider, scenario));
      return result === undefined ? [] : [{ scenario, result }];
    });
    const passed = seen.filter(({ result }) => result === PASSED);
    const refused = seen.filter(({ result }) => result !== PASSED);
    return [
      `${String(passed.length)} of ${String(SCENARIOS.length)}`,
      ...refused.map(({ scenario, result }) => `${scenario} 400 \`${result}\``),
    ].join(', ');
  };
  return [
    row(['Client', ...providers.map((provider) => `\`${provider}\``)]),
    `|${'---|'.repeat(providers.length + 1)}`,
    ...clients.map((client) => row([client, ...providers.map((provider) => cell(client, provider))])),
  ].join('\n');
}
