import { SCENARIOS, type Scenario } from './scenario';

/** What a run has seen of one cell. */
export type CellResult = 'passed' | 'refused';

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
    const of = (wanted: CellResult) =>
      SCENARIOS.filter((scenario) => results.get(cellOf(client, provider, scenario)) === wanted);
    const refused = of('refused').map((scenario) => `${scenario} 400`);
    return [`${String(of('passed').length)} of ${String(SCENARIOS.length)}`, ...refused].join(', ');
  };
  return [
    row(['Client', ...providers.map((provider) => `\`${provider}\``)]),
    `|${'---|'.repeat(providers.length + 1)}`,
    ...clients.map((client) => row([client, ...providers.map((provider) => cell(client, provider))])),
  ].join('\n');
}
