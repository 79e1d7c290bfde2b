package dev.leasehold.docs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A pom.xml of the repository. */
record Pom(String folder, Element project) {
    /** The pom in a folder; the root's is in {@code ""}. */
    static Pom in(String folder) {
        Path file = Documents.ROOT.resolve(folder).resolve("pom.xml");
        try {
            return new Pom(
                    folder,
                    DocumentBuilderFactory.newInstance()
                            .newDocumentBuilder()
                            .parse(file.toFile())
                            .getDocumentElement());
        } catch (IOException | SAXException | ParserConfigurationException e) {
            throw new AssertionError(file.toString(), e);
        }
    }

    /** The modules that a deploy uploads, without the BOM. */
    static List<Pom> published() {
        return in("").texts("modules", "module")
                .map(Pom::in)
                .filter(module ->
                        module.texts("properties", "maven.deploy.skip").noneMatch("true"::equals))
                .filter(module -> module.texts("packaging").noneMatch("pom"::equals))
                .toList();
    }

    String artifactId() {
        return texts("artifactId").findFirst().orElseThrow();
    }

    /** What elements hold that are reached by these names from the project. */
    Stream<String> texts(String... path) {
        return elements(path).map(element -> element.getTextContent().strip());
    }

    Stream<Element> elements(String... path) {
        Stream<Element> found = Stream.of(project);
        for (String name : path) {
            found = found.flatMap(element -> children(element, name));
        }
        return found;
    }

    static Stream<Element> children(Element parent, String name) {
        NodeList nodes = parent.getChildNodes();
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .filter(Element.class::isInstance)
                .map(Element.class::cast)
                .filter(element -> element.getTagName().equals(name));
    }

    /** What the only such child holds, or nothing. */
    static String text(Element parent, String name) {
        return children(parent, name)
                .map(element -> element.getTextContent().strip())
                .findFirst()
                .orElse("");
    }
}
