import {
  ActionIcon,
  Button,
  Checkbox,
  Input,
  InputWrapper,
  Kbd,
  Menu,
  Modal,
  NumberInput,
  Popover,
  SegmentedControl,
  Skeleton,
  Switch,
  Tabs,
  Tooltip,
  type MantineThemeComponents,
} from '@mantine/core';

const isSmall = (size: unknown): boolean => size === 'xs' || size === 'compact-sm' || size === 'compact-xs';

/** Sizes and defaults of Mantine's components: control 30 px, small 26, input 32. */
export const COMPONENTS: MantineThemeComponents = {
  Button: Button.extend({
    defaultProps: { size: 'sm', variant: 'default' },
    vars: (_theme, { size }) => ({
      root: {
        '--button-height': isSmall(size) ? '26px' : 'var(--control)',
        '--button-padding-x': isSmall(size) ? '8px' : '11px',
        '--button-fz': isSmall(size) ? 'var(--text-xs)' : 'var(--text-sm)',
      },
    }),
  }),
  ActionIcon: ActionIcon.extend({
    defaultProps: { size: 'sm', variant: 'subtle' },
    vars: (_theme, { size }) => ({ root: { '--ai-size': isSmall(size) ? '26px' : 'var(--control)' } }),
  }),
  Input: Input.extend({
    defaultProps: { size: 'sm' },
    vars: () => ({ wrapper: { '--input-height': '32px', '--input-fz': 'var(--text-sm)' } }),
  }),
  InputWrapper: InputWrapper.extend({
    defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
  }),
  // A wheel over a number that has focus would change a limit.
  NumberInput: NumberInput.extend({
    defaultProps: { hideControls: true, onWheel: (event) => event.currentTarget.blur() },
  }),
  Checkbox: Checkbox.extend({ defaultProps: { size: 'xs' } }),
  Switch: Switch.extend({ defaultProps: { size: 'xs', color: 'accent', withThumbIndicator: false } }),
  SegmentedControl: SegmentedControl.extend({ defaultProps: { size: 'xs', transitionDuration: 120 } }),
  Tabs: Tabs.extend({ defaultProps: { keepMounted: false } }),
  Tooltip: Tooltip.extend({
    defaultProps: {
      openDelay: 300,
      events: { hover: true, focus: true, touch: true },
      multiline: true,
      maw: 360,
    },
  }),
  Popover: Popover.extend({ defaultProps: { shadow: 'md', transitionProps: { duration: 120 } } }),
  Menu: Menu.extend({ defaultProps: { shadow: 'md', transitionProps: { duration: 120 } } }),
  Modal: Modal.extend({
    defaultProps: { radius: 'xl', shadow: 'xl', transitionProps: { duration: 180 }, centered: false },
  }),
  Kbd: Kbd.extend({ defaultProps: { size: 'xs' } }),
  Skeleton: Skeleton.extend({ defaultProps: { radius: 'xs' } }),
};
