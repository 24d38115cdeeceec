import { Drawer } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useWorkspace } from '../../app';
import { models } from '../../messages';
import { e8OfCents } from '../../ui/format';
import {
  Badge,
  Count,
  Duration,
  Id,
  KeyValues,
  Money,
  Note,
  Percent,
  ProviderMark,
} from '../../ui/primitives';
import { ratioOf } from '../list/ratio-of';
import { ModelState, moneyOf, type Model } from './model-columns';
import { isUnpricedInUse, modelUse, type UseOfModels } from './use-of-models';
import './models.css';

interface ModelDrawerProps {
  /** The shown model; null when the drawer is closed. */
  readonly model: Model | null;
  readonly use: UseOfModels;
  readonly onClose: () => void;
}

/** Drawer of one model: its prices with source and adjustment, its use and its routes. */
export function ModelDrawer({ model, use, onClose }: ModelDrawerProps): ReactElement {
  return (
    <Drawer opened={model !== null} onClose={onClose} position="right" size={520} title={model?.id ?? ''}>
      {model === null ? null : (
        <div className="col model-drawer">
          {isUnpricedInUse(model, use) && <Note tone="warn">{models.unpricedHint}</Note>}
          <Facts model={model} />
          <Prices model={model} />
          <Use model={model} use={use} />
          <Routes model={model} />
        </div>
      )}
    </Drawer>
  );
}

function Facts({ model }: { readonly model: Model }): ReactElement {
  const { slug: ws } = useWorkspace();
  const { id, slug, provider, context_tokens, is_custom, base_model_slug } = model;
  return (
    <>
      <KeyValues
        items={[
          [models.columns.id, <Id key="id" id={id} full />],
          [
            models.columns.provider,
            <Link key="provider" to="/w/$ws/providers/$provider" params={{ ws, provider: provider.slug }}>
              <ProviderMark provider={provider.ai_provider_id}>{provider.name}</ProviderMark>
            </Link>,
          ],
          [models.columns.context, <Count key="context" value={context_tokens} />],
          [models.columns.kind, is_custom ? models.custom : models.known],
          ...(base_model_slug === null ? [] : [[models.base, base_model_slug] as const]),
          [models.columns.enabled, <ModelState key="state" model={model} />],
        ]}
      />
      <Link
        to={
          `/w/${encodeURIComponent(ws)}/playground?c=${encodeURIComponent(`@${provider.slug}/${slug}`)}` as '/'
        }
      >
        {models.tryIt}
      </Link>
    </>
  );
}

function Prices({ model: { prices, price_source: source } }: { readonly model: Model }): ReactElement {
  return (
    <section aria-label={models.prices}>
      <h3>
        {models.prices} {source === null ? <Badge tone="warn">{models.unpriced}</Badge> : null}
      </h3>
      {source !== null && (
        <>
          <p className="sub xs">{models.pricesFrom(models.sources[source] ?? source)}</p>
          <table className="model-prices">
            <thead>
              <tr>
                <th scope="col">{models.what}</th>
                <th scope="col" className="num">
                  {models.listed}
                </th>
                <th scope="col" className="num">
                  {models.charged}
                </th>
              </tr>
            </thead>
            <tbody>
              {prices.map(({ unit, list_exact, price_exact, tiered }) => (
                <tr key={unit}>
                  <th scope="row">
                    {models.unit(unit)} {tiered && <Badge title={models.tiered}>{models.tier}</Badge>}
                  </th>
                  <td className="num">{moneyOf(list_exact)}</td>
                  <td className="num">{moneyOf(price_exact)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}

function Use({ model, use }: { readonly model: Model; readonly use: UseOfModels }): ReactElement | null {
  const { slug: ws } = useWorkspace();
  if (use === null) return null;
  const row = modelUse(model, use);
  if (row === undefined) return null;
  const logs = `/w/${encodeURIComponent(ws)}/logs?t=30d&f=credential:${encodeURIComponent(model.provider.slug)}&f=model:${encodeURIComponent(model.slug)}`;
  return (
    <section aria-label={models.use}>
      <h3>{models.use}</h3>
      {row === null ? (
        <p className="muted">{models.notUsed}</p>
      ) : (
        <>
          <KeyValues
            items={[
              [models.columns.requests, <Count key="requests" value={row.requests ?? null} />],
              [models.columns.spend, <Money key="spend" e8={e8OfCents(row.cost)} as="human" />],
              [models.columns.success, <Percent key="success" ratio={ratioOf(row.success_rate)} />],
              [models.columns.latency, <Duration key="latency" ms={row.p95_latency ?? null} />],
            ]}
          />
          <Link to={logs as '/'}>{models.logs}</Link>
        </>
      )}
    </section>
  );
}

function Routes({ model: { routes } }: { readonly model: Model }): ReactElement {
  const list = (names: readonly string[]): ReactElement => (
    <span className="model-routes">
      {names.map((name) => (
        <Badge key={name} mono>
          {name}
        </Badge>
      ))}
    </span>
  );
  return (
    <section aria-label={models.columns.routes}>
      <h3>{models.columns.routes}</h3>
      <KeyValues
        items={[
          ...(routes.native.length === 0 ? [] : [[models.native, list(routes.native)] as const]),
          ...(routes.translated.length === 0 ? [] : [[models.translated, list(routes.translated)] as const]),
        ]}
      />
    </section>
  );
}
