package dev.leasehold.spring.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("The properties")
class PropertiesTest {
    /** Ours, not those that Spring Boot has for each endpoint. */
    private static List<JsonNode> metadata() {
        return JsonMapper.shared()
                .readTree(PropertiesTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))
                .get("properties")
                .valueStream()
                .filter(property -> property.get("name").asString().startsWith("leasehold."))
                .toList();
    }

    @Test
    @DisplayName("are described for editors, by how often they are needed")
    void metadataIsComplete() {
        assertThat(metadata())
                .hasSizeGreaterThan(8)
                .allSatisfy(property -> assertThat(property.path("description").asString(""))
                        .as(property.get("name").asString())
                        .matches("(Essential|Frequent|Rare)\\b.*"));
    }

    @Test
    @DisplayName("are all in the table of the guide, and no others")
    void guide() throws Exception {
        String guide = Files.readString(Path.of("../../docs/guide/spring.md"));
        List<String> told = new ArrayList<>();
        Matcher names =
                Pattern.compile("`(leasehold\\.[a-z.-]+)`").matcher(guide.substring(guide.indexOf("## Properties")));
        while (names.find()) {
            told.add(names.group(1));
        }
        List<String> real = new ArrayList<>();
        metadata().forEach(property -> real.add(property.get("name").asString()));
        assertThat(told).containsExactlyInAnyOrderElementsOf(real);
    }
}
