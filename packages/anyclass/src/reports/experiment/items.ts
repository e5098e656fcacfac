// Renders the parts of a report as HTML, and collects those that are written as files.

import { note } from '@anyclass/kit';
import { type Chart, chartBlock, chartRow, choice, tableBlock } from '../../pages/blocks.js';
import type { ReportTable } from '../../tables/index.js';
import type { Item, Material, ReportSection } from './material.js';

/**
 * Adds a dataset to the names of a section, which must be unique if several datasets have the same sections. The contents have the
 * first of each dataset.
 */
export function belonging(
  { name, title, items }: ReportSection,
  { dataset }: Material,
  index: number,
  isFirst: boolean,
): ReportSection {
  const prefix = `${dataset.replaceAll(/[^a-zA-Z0-9]+/g, '_')}-${index + 1}`;
  return {
    name: `${prefix}-${name}`,
    title: `${dataset}: ${title}`,
    link: isFirst ? dataset : null,
    items: items.map((item) => prefixed(item, prefix)),
  };
}

function prefixed(item: Item, prefix: string): Item {
  const rename = <Named extends { readonly name: string }>(named: Named): Named => ({
    ...named,
    name: `${prefix}-${named.name}`,
  });
  switch (item.kind) {
    case 'note':
      return item;
    case 'table':
      return { ...item, table: rename(item.table) };
    case 'charts':
      return { ...item, charts: item.charts.map(rename) };
    case 'choice':
      return rename({
        ...item,
        panels: item.panels.map((panel) => ({
          ...panel,
          items: panel.items.map((inner) => prefixed(inner, prefix)),
        })),
      });
  }
}

export function itemHtml(item: Item): string {
  switch (item.kind) {
    case 'note':
      return note(item.text);
    case 'table':
      return tableBlock(item.table);
    case 'charts':
      if (item.areFilesOnly) return '';
      return item.charts.length === 1
        ? `<div class="alone">${chartBlock(item.charts[0]!)}</div>`
        : chartRow(item.charts);
    case 'choice':
      return choice(
        item.name,
        item.legend,
        item.panels.map(({ title, items }) => ({ title, html: items.map(itemHtml).join('\n') })),
      );
  }
}

/** Returns all tables and charts. */
export function assets(items: readonly Item[]): (ReportTable | Chart)[] {
  return items.flatMap((item): readonly (ReportTable | Chart)[] => {
    switch (item.kind) {
      case 'table':
        return [item.table];
      case 'charts':
        return item.charts;
      case 'choice':
        return assets(item.panels.flatMap((panel) => panel.items));
      default:
        return [];
    }
  });
}
