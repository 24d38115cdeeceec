// Small parts of most pages, which come with the shell: each file of their own would cost the start of a page more than they do.
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
