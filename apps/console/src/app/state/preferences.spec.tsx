import { act, render, screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import { changePreferences, preferences, usePreferences } from './preferences';

const KEY = 'tollgate:preferences';

/** Changes the stored preferences as another tab does. */
function changeInOtherTab(change: object): void {
  const before = JSON.parse(localStorage.getItem(KEY) ?? '{}') as object;
  localStorage.setItem(KEY, JSON.stringify({ ...before, ...change }));
}

function Density(): ReactElement {
  return <p>{usePreferences().density}</p>;
}

describe('preferences', () => {
  afterEach(() => {
    act(() => changePreferences({ zone: 'mine', density: 'comfortable' }));
    localStorage.clear();
  });

  it('keep the change of another tab when this tab changes another preference', () => {
    expect(preferences().density).toBe('comfortable');
    changeInOtherTab({ density: 'compact' });
    changePreferences({ zone: 'utc' });
    expect(preferences()).toMatchObject({ zone: 'utc', density: 'compact' });
    expect(JSON.parse(localStorage.getItem(KEY) ?? '')).toMatchObject({ zone: 'utc', density: 'compact' });
  });

  it('show the change of another tab immediately', () => {
    render(<Density />);
    changeInOtherTab({ density: 'compact' });
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'tollgate:other' })));
    screen.getByText('comfortable');
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: KEY })));
    screen.getByText('compact');
  });

  it('keep the changes of this tab when the browser has no storage', () => {
    const broken = jest.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
      throw new Error('No storage.');
    });
    changePreferences({ zone: 'utc' });
    changePreferences({ density: 'compact' });
    expect(preferences()).toMatchObject({ zone: 'utc', density: 'compact' });
    broken.mockRestore();
  });
});
