/** Charts; also written into saved ones. */
export const chartStyle = `
.chart { display: block; overflow: visible; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif; max-width: none; }
.chart text { fill: var(--ink-3); font-variant-numeric: tabular-nums; } .chart text.strong { fill: var(--ink); font-weight: 600; }
.chart .grid { stroke: var(--rule); stroke-width: 1; shape-rendering: crispEdges; } .chart .axis { stroke: var(--rule-strong); stroke-width: 1; shape-rendering: crispEdges; }
.chart .line { fill: none; stroke-width: 1.75; stroke-linejoin: round; vector-effect: non-scaling-stroke; } .chart .band { stroke: none; opacity: .13; }
.chart .rule { stroke: var(--accent); stroke-dasharray: 3 3; stroke-width: 1; } .chart .chosen { fill: var(--accent); stroke: var(--page); stroke-width: 2; }
.chart .halo { paint-order: stroke; stroke: var(--page); stroke-width: 4px; stroke-linejoin: round; }
.chart [data-label]:hover { stroke: var(--ink); stroke-width: 2px; vector-effect: non-scaling-stroke; }
`;
