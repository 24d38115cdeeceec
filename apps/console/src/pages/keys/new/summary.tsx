import type { ReactElement } from 'react';
import { useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { keys, limits } from '../../../messages';
import { AsCode } from '../../../ui/code';
import { KeyValues } from '../../../ui/primitives';
import { Pane } from '../../../ui/states';
import { budgetWords, ratesWords } from '../../fields/limit-words';
import { presetOf, useHeldScopes } from '../scopes';
import { curlOf, type NewKey } from './new-key';

/** What the key will be, what else limits it, and the call that makes it. */
export function Summary({ values }: { readonly values: NewKey }): ReactElement {
  const workspace = useWorkspace();
  const preset = presetOf(values.scopes, values.type, useHeldScopes());
  const policies = usePolicyNames();
  const may = preset === null ? keys.own : (keys.presetNames[preset]?.[0] ?? preset);
  return (
    <Pane title={keys.summary} className="wizard-summary">
      <div className="col">
        <KeyValues
          items={[
            [keys.name, values.name === undefined || values.name === '' ? keys.unnamed : values.name],
            [keys.columns.type, keys.summaryType(values.type, workspace.name)],
            [keys.presets, `${may}, ${keys.scopeCount(values.scopes.length)}`],
            [limits.budget, budgetWords(values.usage_limits)],
            [limits.rates, ratesWords(values.rate_limits)],
            [keys.expires, values.expires_at?.slice(0, 10) ?? keys.never],
            ...(policies.length === 0 ? [] : [[keys.alsoHeld, policies.join(', ')] as const]),
          ]}
        />
        <AsCode
          label={keys.asCode}
          forms={[{ id: 'curl', label: keys.curl, text: curlOf(values, workspace.id, location.origin) }]}
          maxHeight={220}
        />
      </div>
    </Pane>
  );
}

const POLICIES_MAX = 5;

/** Names of the policies of the workspace, which hold its keys too. */
function usePolicyNames(): readonly string[] {
  const workspace = useWorkspace();
  const can = useCan('usageLimitPolicies_list');
  const query = { workspace_id: workspace.id, page_size: POLICIES_MAX };
  const { data } = useRead('usageLimitPolicies_list', { query }, { enabled: can, staleTime: 60_000 });
  return (data?.data ?? []).map(({ name, id }) => name ?? id);
}
