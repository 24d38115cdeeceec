import type { ReactElement } from 'react';
import { useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { keys, limits } from '../../../messages';
import { AsCode } from '../../../ui/code';
import { Badge, KeyValues } from '../../../ui/primitives';
import { Pane } from '../../../ui/states';
import { budgetWords, ratesWords } from '../../fields/limit-words';
import { presetOf, useHeldScopes } from '../scopes';
import { curlOf, type NewKey } from './new-key';

/**
 * Summary of the new key: its properties, other limits that apply to it, and the call that creates
 * it.
 */
export function Summary({ values }: { readonly values: NewKey }): ReactElement {
  const workspace = useWorkspace();
  const preset = presetOf(values.scopes, values.type, useHeldScopes());
  const others = useOtherLimits();
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
            ...(others.length === 0 ? [] : [[keys.alsoHeld, others.join('; ')] as const]),
          ]}
        />
        <details>
          <summary className="sub">{keys.scopes}</summary>
          <span className="wizard-scopes">
            {values.scopes.map((scope) => (
              <Badge key={scope} mono>
                {scope}
              </Badge>
            ))}
          </span>
        </details>
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

/** Descriptions of the budgets of the workspace and its policies, which also limit the key. */
function useOtherLimits(): readonly string[] {
  const workspace = useWorkspace();
  const [canPolicies, canWorkspace] = [useCan('usageLimitPolicies_list'), useCan('workspaces_get')];
  const query = { workspace_id: workspace.id, page_size: POLICIES_MAX };
  const options = { staleTime: 60_000 };
  const policies = useRead('usageLimitPolicies_list', { query }, { ...options, enabled: canPolicies });
  const path = { workspaceId: workspace.id };
  const own = useRead('workspaces_get', { path }, { ...options, enabled: canWorkspace });
  return [
    ...(own.data?.usage_limits ?? []).map((limit) => keys.workspaceBudget(budgetWords(limit))),
    ...(policies.data?.data ?? []).map(({ name, id }) => keys.policyNamed(name === '' ? id : name)),
  ];
}
