import { Button, PasswordInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { call, problemFrom, type Problem } from '../../api';
import { useBootstrap } from '../../app';
import { me } from '../../messages';
import { Note } from '../../ui/primitives';
import { Pane } from '../../ui/states';

const EMPTY = { current: '', next: '', again: '' };

/**
 * Form that changes the password of the signed-in user; renders nothing when password login is off.
 * It clears its inputs after a change.
 */
export function PasswordForm(): ReactElement | null {
  const { password_login, needs_password } = useBootstrap();
  const queries = useQueryClient();
  const [values, setValues] = useState(EMPTY);
  const [state, setState] = useState<'idle' | 'sending' | 'changed'>('idle');
  const [problem, setProblem] = useState<Problem | null>(null);
  if (!password_login) return null;
  const isDifferent = values.again !== '' && values.next !== values.again;
  const isReady =
    (values.current !== '' || needs_password === true) && values.next !== '' && values.next === values.again;
  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault();
    if (!isReady || state === 'sending') return;
    setState('sending');
    setProblem(null);
    try {
      const current = values.current === '' ? {} : { current_password: values.current };
      const body = { ...current, new_password: values.next };
      await call('passwords_change', {}, { body });
      setValues(EMPTY);
      setState('changed');
      // The first steps on Home ask for a password until the user has one.
      await queries.invalidateQueries({ queryKey: ['console_bootstrap'] });
    } catch (error) {
      setProblem(problemFrom(error));
      setState('idle');
    }
  };
  const input = (name: keyof typeof EMPTY, autoComplete: string, error?: string): ReactElement => (
    <PasswordInput
      label={me[name]}
      autoComplete={autoComplete}
      value={values[name]}
      error={error}
      onChange={({ currentTarget }) => {
        setValues({ ...values, [name]: currentTarget.value });
        if (state !== 'sending') setState('idle');
      }}
    />
  );
  return (
    <Pane title={me.password}>
      <form className="col" onSubmit={(event) => void submit(event)}>
        <p className="sub xs">{me.passwordLead}</p>
        {input('current', 'current-password', problem?.byPath.get('current_password'))}
        {input('next', 'new-password', problem?.byPath.get('new_password'))}
        {input('again', 'new-password', isDifferent ? me.different : undefined)}
        {problem !== null && <Note tone="danger">{problem.message}</Note>}
        {state === 'changed' && <Note tone="ok">{me.changed}</Note>}
        <span className="row">
          <Button
            type="submit"
            variant="filled"
            className="right"
            disabled={!isReady}
            loading={state === 'sending'}
          >
            {me.change}
          </Button>
        </span>
      </form>
    </Pane>
  );
}
