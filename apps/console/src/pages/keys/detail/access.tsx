import type { ReactElement } from 'react';
import { keys } from '../../../messages';
import { Badge, KeyValues } from '../../../ui/primitives';
import { Pane } from '../../../ui/states';
import type { ApiKey } from '../key-types';
import { RESOURCES } from '../scopes';

/** Scopes of a key by resource. */
export function KeyAccess({ apiKey: { scopes } }: { readonly apiKey: ApiKey }): ReactElement {
  const held = RESOURCES.map(
    ([resource, all]) => [resource, all.filter((scope) => scopes.includes(scope))] as const,
  );
  return (
    <Pane title={keys.presets} actions={keys.scopeCount(scopes.length)}>
      <p className="sub">{keys.accessLead}</p>
      <KeyValues
        nameWidth={220}
        items={held
          .filter(([, own]) => own.length > 0)
          .map(([resource, own]) => [
            keys.resource(resource),
            <span key={resource} className="key-scopes-list">
              {own.map((scope) => (
                <Badge key={scope} mono title={scope}>
                  {scope.slice(resource.length + 1)}
                </Badge>
              ))}
            </span>,
          ])}
      />
    </Pane>
  );
}
