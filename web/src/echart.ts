// The parts of Apache ECharts that the page needs, and no others. Tooltip, legend,
// toolbox, aria and dataZoom are left out on purpose: tips, labels and keys are
// our own (tip.ts, keys.ts, zoom.ts), because the library's HTML tooltip needs
// inline styles, which the page's policy forbids, and its aria support has no
// keyboard path to a point.

import { CustomChart, LineChart } from 'echarts/charts';
import { GridComponent, MarkAreaComponent } from 'echarts/components';
import { graphic, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

export type { ECharts } from 'echarts/core';

use([LineChart, CustomChart, GridComponent, MarkAreaComponent, SVGRenderer]);

export { graphic, init };

/** An option, a series or an axis; the library's own type is wider than any check. */
export type Option = Record<string, unknown>;
