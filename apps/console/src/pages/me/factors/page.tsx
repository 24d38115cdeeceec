import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { problemFrom, useRead } from '../../../api';
import type { Factors } from '../../../factors/factor-types';
import { factors as text } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { Empty, Loaded, Pane } from '../../../ui/states';
import { MeFrame } from '../frame';
import { FactorDialog, type Change } from './dialog';
import { FactorTable } from './table';

/** The second factors of the caller, and their recovery codes. */
export function FactorsPage(): ReactElement {
  const factors = useRead('mfa_list', {});
  return (
    <MeFrame section="factors">
      <Loaded query={factors} problemOf={problemFrom}>
        {(known) => <Content factors={known} />}
      </Loaded>
    </MeFrame>
  );
}

function Content({ factors }: { readonly factors: Factors }): ReactElement {
  const [change, setChange] = useState<Change | null>(null);
  const add = (
    <Button
      variant="filled"
      leftSection={<Icon name="plus" size={14} />}
      onClick={() => setChange({ kind: 'add' })}
    >
      {text.add}
    </Button>
  );
  const isEmpty = factors.factors.length === 0;
  return (
    <div className="col me-factors">
      <Pane title={text.title} {...(isEmpty ? {} : { actions: add })}>
        {isEmpty ? (
          <Empty title={text.none} icon="lock" action={add}>
            {text.noneHint}
          </Empty>
        ) : (
          <>
            <p className="sub">{text.lead}</p>
            <FactorTable factors={factors.factors} onChange={setChange} />
          </>
        )}
      </Pane>
      {!isEmpty && (
        <Pane
          title={text.codes}
          actions={<Button onClick={() => setChange({ kind: 'renew' })}>{text.renew}</Button>}
        >
          <p>{text.left(factors.recovery_codes_left)}</p>
        </Pane>
      )}
      {change !== null && <FactorDialog change={change} factors={factors} onClose={() => setChange(null)} />}
    </div>
  );
}
