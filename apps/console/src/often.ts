// Small parts that most pages use, in the download of the shell. A separate file for each would
// delay the start of a page more than its size does.
import './app';
import './live';
import './live/use-window';
import './needs/need-row';
import './needs/use-needs';
import './pages/audit/record-words';
import './pages/fields/limit-words';
import './pages/home/log-link';
import './ui/charts';
import './ui/range';
import './ui/use-page-keys';
import './url';
import './write/paths';
