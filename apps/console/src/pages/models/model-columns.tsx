import type { ReactElement } from 'react';
import type { ResponseOf } from '../../api';
import { models } from '../../messages';
import { e8OfCents, parseE8, pricePerMillion } from '../../ui/format';
import type { Column } from '../../ui/grid';
import { Badge, Count, Duration, Id, Money, Percent, ProviderMark } from '../../ui/primitives';
import { ratioOf } from '../list/ratio-of';
import { modelUse, type ModelUse, type UseOfModels } from './use-of-models';

export type Model = ResponseOf<'workspaceModels_list'>['data'][number];

/** Price units that have a column. */
const UNITS = ['input', 'output', 'cache_read'] as const;

/** Formats a price of the API (1e-8 USD) as US dollars per million units. */
export const moneyOf = (text: string): string => {
  const e8 = parseE8(text);
  return e8 === null ? '–' : pricePerMillion(e8);
};

function Price({ model, unit }: { readonly model: Model; readonly unit: string }): ReactElement {
  const price = model.prices.find((one) => one.unit === unit);
  if (price === undefined) return <span className="muted">–</span>;
  const { list_exact, price_exact, tiered } = price;
  const notes = [
    ...(list_exact === price_exact ? [] : [models.adjusted(moneyOf(list_exact))]),
    ...(tiered ? [models.tiered] : []),
  ];
  return (
    <span className="num" title={notes.length === 0 ? undefined : notes.join('\n')}>
      {moneyOf(price_exact)}
      {tiered ? '+' : ''}
    </span>
  );
}

export function ModelState({ model }: { readonly model: Model }): ReactElement {
  const { status } = model.provider;
  if (status !== 'active') return <Badge tone="warn">{models.providerStatus[status] ?? status}</Badge>;
  return model.enabled ? <Badge tone="ok">{models.yes}</Badge> : <Badge>{models.off}</Badge>;
}

const { columns: titles } = models;

export const MODEL_COLUMNS: readonly Column<Model>[] = [
  { id: 'id', header: titles.id, width: 240, grow: 2, cell: ({ id }) => <Id id={id} full /> },
  {
    id: 'provider',
    header: titles.provider,
    width: 160,
    grow: 1,
    cell: ({ provider }) => <ProviderMark provider={provider.ai_provider_id}>{provider.name}</ProviderMark>,
  },
  {
    id: 'context',
    header: titles.context,
    width: 100,
    align: 'right',
    cell: ({ context_tokens }) => <Count value={context_tokens} />,
  },
  ...UNITS.map((unit): Column<Model> => ({
    id: unit,
    header: models.unit(unit),
    width: 120,
    align: 'right',
    cell: (model) => <Price model={model} unit={unit} />,
  })),
  {
    id: 'source',
    header: titles.source,
    width: 120,
    cell: ({ price_source }) =>
      price_source === null ? (
        <Badge tone="warn" title={models.unpricedHint}>
          {models.unpriced}
        </Badge>
      ) : (
        (models.sources[price_source] ?? price_source)
      ),
  },
  { id: 'enabled', header: titles.enabled, width: 120, cell: (model) => <ModelState model={model} /> },
  {
    id: 'kind',
    header: titles.kind,
    width: 120,
    optional: true,
    cell: ({ is_custom }) => (is_custom ? models.custom : models.known),
  },
  {
    id: 'routes',
    header: titles.routes,
    width: 220,
    optional: true,
    cell: ({ routes }) => <span className="ell">{[...routes.native, ...routes.translated].join(', ')}</span>,
  },
];

/** Columns of the table, with the use of 30 days unless the caller may not see it. */
export function columnsOf(use: UseOfModels): readonly Column<Model>[] {
  if (use === null) return MODEL_COLUMNS;
  const of = (model: Model): ModelUse | null | undefined => modelUse(model, use);
  return [
    ...MODEL_COLUMNS,
    {
      id: 'requests',
      header: titles.requests,
      width: 120,
      align: 'right',
      cell: (model) => <Count value={of(model)?.requests ?? null} />,
    },
    {
      id: 'spend',
      header: titles.spend,
      width: 110,
      align: 'right',
      cell: (model) => <Money e8={e8OfCents(of(model)?.cost)} as="human" />,
    },
    {
      id: 'success',
      header: titles.success,
      width: 90,
      align: 'right',
      cell: (model) => <Percent ratio={ratioOf(of(model)?.success_rate)} />,
    },
    {
      id: 'latency',
      header: titles.latency,
      width: 90,
      align: 'right',
      optional: true,
      cell: (model) => <Duration ms={of(model)?.p95_latency ?? null} />,
    },
  ];
}
