// All global styles, in order. Import this file once, before anything else.
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './mantine-styles';
import './tokens.css';
import './base.css';
import './provider-tokens.css';
import './primitives/primitives.css';
import './states/states.css';
import './grid/data-grid.css';
import './filters/filters.css';
import './waterfall/waterfall.css';
import './json/json.css';
import './body/body.css';
import './charts/charts.css';
import './range/range.css';
import './code/code.css';
import './theme/mantine.css';
