import { Button, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { providers } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { ProviderMark } from '../../../ui/primitives';
import { useTyped } from '../../../ui/use-typed';
import type { CatalogueProvider } from '../provider-types';

interface TilesProps {
  readonly all: readonly CatalogueProvider[];
  /** Id of the chosen provider; empty for none. */
  readonly chosen: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onChoose: (id: string) => void;
}

/** Catalogue provider for any host with an OpenAI-compatible API. */
const COMPATIBLE = 'openai';

const isNamed = ({ id, name, aliases }: CatalogueProvider, text: string): boolean =>
  [id, name, ...aliases].some((word) => word.toLowerCase().includes(text.trim().toLowerCase()));

/** Short description of a provider. */
function hintOf({ native_routes, self_hosted, needs_key, priced }: CatalogueProvider): string {
  const routes = native_routes.slice(0, 3).map((route) => route.split('.')[0] ?? route);
  return [
    ...new Set(routes),
    ...(self_hosted ? [providers.selfHosted] : []),
    ...(needs_key ? [] : [providers.noKey]),
    ...(priced ? [] : [providers.unpriced]),
  ].join(', ');
}

/** Tiles of the catalogue providers, filtered by a search text. */
export function Tiles({ all, chosen, text, onText, onChoose }: TilesProps): ReactElement {
  const search = useTyped(text, onText);
  const shown = all.filter((provider) => isNamed(provider, text));
  return (
    <nav className="col" aria-label={providers.tiles}>
      <TextInput
        type="search"
        aria-label={providers.searchLabel}
        placeholder={providers.known(all.length)}
        leftSection={<Icon name="search" size={14} />}
        {...search}
        onChange={({ currentTarget }) => search.onChange(currentTarget.value)}
      />
      {shown.length === 0 && <p className="sub xs">{providers.noTile}</p>}
      <ul className="tiles">
        {shown.map((provider) => (
          <li key={provider.id}>
            <button
              type="button"
              className="plain-button tile"
              aria-pressed={provider.id === chosen}
              onClick={() => onChoose(provider.id)}
            >
              <ProviderMark provider={provider.id} />
              <span className="tile-words">
                <b className="ell">{provider.name}</b>
                <span className="xs muted ell">{hintOf(provider)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      <Button variant="default" onClick={() => onChoose(COMPATIBLE)}>
        {providers.compatible}
      </Button>
    </nav>
  );
}
