import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"));
const known = new Set(sources);

/** The source that an import names, as a path below src; undefined for a package or a stylesheet. */
function resolved(from: string, name: string): string | undefined {
  const target = name.startsWith("~/") ? name.slice(2) : name.startsWith(".") ? relative(root, join(root, dirname(from), name)) : undefined;
  return target === undefined ? undefined : ["", ".ts", ".tsx"].map((ending) => target + ending).find((path) => known.has(path));
}

/** What each source imports, types and lazily loaded screens too. */
const imports = new Map(
  sources.map((path) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(root, path), "utf8"), true, true);
    return [path, importedFiles.flatMap(({ fileName }) => resolved(path, fileName) ?? [])];
  }),
);

/** The first circle that is found from a source, as the way around it. */
function circleFrom(path: string, way: readonly string[], done: Set<string>): string[] | null {
  if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
  if (done.has(path)) return null;
  for (const next of imports.get(path) ?? []) {
    const circle = circleFrom(next, [...way, path], done);
    if (circle) return circle;
  }
  done.add(path);
  return null;
}

/** Which folders a source of a folder may import from; a screen knows no other screen. */
const allowed: Record<string, (target: string, from: string) => boolean> = {
  api: (target) => target.startsWith("api/"),
  components: (target) => /^(api|components)\//.test(target),
  screens: (target, from) => /^(api|components)\//.test(target) || target.startsWith(from.split("/").slice(0, 2).join("/") + "/"),
};

describe("the sources of the page", () => {
  it("are found at all", () => {
    expect(imports.get("app/Shell.tsx")).toContain("app/MatrixGate.tsx");
    expect(imports.get("app/router.tsx")).toContain("screens/ias/IAScreen.tsx");
  });

  it("import each other in no circle", () => {
    const done = new Set<string>();
    expect(sources.map((path) => circleFrom(path, [], done)).filter(Boolean)).toEqual([]);
  });

  it("import in one direction: a screen its own parts, components and the API; components the API", () => {
    const wrong = sources
      .filter((path) => !path.includes(".test.") && !path.startsWith("test/"))
      .flatMap((path) => (imports.get(path) ?? []).filter((target) => allowed[path.split("/")[0] ?? ""]?.(target, path) === false).map((target) => `${path} imports ${target}`));
    expect(wrong).toEqual([]);
  });
});
